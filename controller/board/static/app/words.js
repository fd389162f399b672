// The words of a language, with places for values: t("spot.sum", { n: 12 }).

import { h } from "./dom.js";

let words = {};
let fallback = {};
let beside = null;
let records = false;
export let language = "en";

const RIGHT_TO_LEFT = ["ar", "fa", "he", "ur"];
const directionOf = (name) => (RIGHT_TO_LEFT.includes(name.split("-")[0]) ? "rtl" : "ltr");
const SCRIPTS = { "zh-tw": "zh-hant", "zh-hk": "zh-hant", "zh-mo": "zh-hant", "zh-hans": "zh", "zh-cn": "zh", "zh-sg": "zh" };

/** The language of `told` that comes nearest to a tag as zh-TW: itself, its script's, its own without a region. */
export function nearest(tag, told) {
  const byName = Object.fromEntries(Object.keys(told).map((name) => [name.toLowerCase(), name]));
  const parts = String(tag ?? "").replace("_", "-").toLowerCase().split("-");
  for (let many = parts.length; many > 0; many -= 1) {
    const name = parts.slice(0, many).join("-");
    const found = byName[name] ?? byName[SCRIPTS[name]];
    if (found) return found;
  }
  return null;
}

/** Load the words; the address may ask for a language (?lang=zh-TW) and for one beside it (?beside=en), else those of
 *  the board are taken. Returns what else the board told: the games that have a board of their own, the house's look. */
export async function loadWords() {
  const answer = await fetch("/words", { cache: "no-cache" });
  if (!answer.ok) throw new Error(`words: ${answer.status}`);
  const told = await answer.json();
  const asked = new URLSearchParams(location.search);
  language = nearest(asked.get("lang"), told.words) ?? told.language;
  records = told.acknowledges === true;
  words = told.words[language] ?? {};
  fallback = told.words.en ?? {};
  const second = nearest(asked.get("beside") ?? told.beside, told.words);
  beside = second === null || second === language ? null : { language: second, words: told.words[second] };
  document.documentElement.lang = language;
  document.documentElement.dir = directionOf(language);
  return told;
}

/** Whether this board records who has seen an alert. */
export const recordsWhoSaw = () => records;

/** Whether there are words for a key. */
export const known = (key) => key in words || key in fallback;

// In a language that is written from the right whatever has an order of its own is isolated from the words around it, by
// Unicode's own signs: they are of no width, and hold in a sentence and in a label that is only heard.
const [FROM_THE_LEFT, AS_IT_BEGINS, END] = ["\u2066", "\u2068", "\u2069"];
const isolated = (sign, text) => (text && directionOf(language) === "rtl" ? sign + text + END : text);

/** A score, a range, a card, a sum of money, a ratio, a part in percent: written from the left in every language. */
export const fromTheLeft = (text) => isolated(FROM_THE_LEFT, text);

/** What we have no words for, as a name: written as its own letters are. */
export const asItBegins = (text) => isolated(AS_IT_BEGINS, text);

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? asItBegins(String(values[name])) : whole));

/** The text for a key; a key without words stands for itself, so that a gap is seen and nothing is hidden. */
export const t = (key, values = {}) =>
  key in words ? filled(words[key], values) : fromTheLeft(filled(fallback[key] ?? key, values));

/** Parts one after the other, as the language joins sentences, members of a list or remarks; what is not there is left out. */
export const joined = (kind, parts) => parts.filter(Boolean).join(t(`join.${kind}`));

/** The text of a key, and of the board's second language beside it where it has one. docs/how-to/result-board.md says
 *  what is told in both. */
export const both = (key, values = {}) => doubled(() => t(key, values));

/** What `say` says, and what it says in the second language; it must do nothing else. */
export function doubled(say) {
  const first = say();
  if (beside === null) return first;
  const kept = [words, language];
  [words, language] = [beside.words, beside.language];
  const second = say();
  [words, language] = kept;
  if (plain(first) === plain(second)) return first;
  return [h("span", { class: "first" }, first), " ", h("span", { class: "beside", lang: beside.language, dir: directionOf(beside.language) }, second)];
}

// What is missing in one language and is English in the other is told once.
const plain = (text) => text?.replace(/[\u2066-\u2069]/g, "");

/** The name of a rank as it is printed: T is 10. */
export const rankText = (rank) => (rank === "T" ? "10" : rank);

/** A card in words, for those who listen. */
export function cardWords(card) {
  return card === null ? t("card.down") : t("card.name", { rank: t(`rank.${card[0]}`), suit: t(`suit.${card[1]}`) });
}

// What we have no word for is called what the program calls it.
const wordsOr = (key, name) => (known(key) ? t(key) : asItBegins(name));

/** The name of a game. */
export const gameWords = (game) => wordsOr(`game.${game}`, game);

/** Where a card lies, or whose hand it is. */
export function positionWords(position) {
  const seat = /^seat(\d)$/.exec(position);
  return seat ? t("position.seat", { n: seat[1] }) : wordsOr(`position.${position}`, position);
}

/** What a house calls a spot of its own: in every language, or by the code of one. */
function houseWords(names, wager) {
  const name = names?.[wager];
  return name && asItBegins(typeof name === "object" ? (name[nearest(language, name)] ?? name.en ?? Object.values(name)[0]) : name);
}

/** A spot that nobody named: player_dragon_bonus is Player Dragon Bonus. */
const spelled = (spot) => spot.replace(/(^|_)(.)/g, (_, gap, letter) => (gap && " ") + letter.toUpperCase());

/** A kind of bet that stands for each hand or seat; names are those of the display. */
export const wagerWords = (wager, names) => houseWords(names, wager) ?? wordsOr(`wager.${wager}`, spelled(wager));

/** A place to bet; names are those of the display. */
export function spotWords(spot, names) {
  const [hand, wager] = spot.split(".");
  if (wager) return t("spot.of-hand", { position: positionWords(hand), wager: wagerWords(wager, names) });
  const own = houseWords(names, spot);
  if (own) return own;
  const [kind, which] = spot.split(/_(?=[^_]+$)/);
  if (kind === "card") return fromTheLeft(rankText(which[0]) + t(`suit.sign.${which[1]}`));
  if (["sum", "single", "pair"].includes(kind) && which) return t(`spot.${kind}`, { n: rankText(which) });
  return wordsOr(`spot.${spot}`, spelled(spot));
}

/** An alert in words: in English as the table said it, with its figures; else by its code, or by the part of it that
 *  names the kind (consumer-settlement is a consumer), or as what the next round waits for. */
export function alertWords({ code, message }) {
  const parts = String(code ?? "").split("-");
  const named = parts.map((_, at) => `alert.${parts.slice(0, parts.length - at).join("-")}`);
  const keys = [...named, `wait.${code}`, `hold.${code}`];
  const key = language === "en" && message ? undefined : keys.find(known);
  return key ? t(key) : asItBegins(message);
}

/** A time of day, hh:mm:ss or its first `parts`, as the clock on this wall shows it. */
export function timeOfDay(text, parts = 3) {
  const time = new Date(text);
  const two = (n) => String(n).padStart(2, "0");
  const told = [time.getHours(), time.getMinutes(), time.getSeconds()].slice(0, parts).map(two);
  return Number.isNaN(time.getTime()) ? "" : fromTheLeft(told.join(":"));
}

/** Percent, with its sign where it stands everywhere. */
export const inPercent = (number) => fromTheLeft(`${number}%`);

/** Percent of a whole, one digit; whole percent where `digits` is 0; nothing of nothing. */
export const percent = (part, whole, digits = 1) => (whole > 0 ? inPercent(((100 * part) / whole).toFixed(digits)) : "");
