// The words of a language, with places for values: t("spot.sum", { n: 12 }).

let words = {};
let fallback = {};
export let language = "en";

/** Load the words; the address may ask for a language (?lang=zh), else the board's own is taken. Returns the
 *  games that have a board of their own. */
export async function loadWords() {
  const answer = await fetch("/words", { cache: "no-cache" });
  if (!answer.ok) throw new Error(`words: ${answer.status}`);
  const told = await answer.json();
  const asked = new URLSearchParams(location.search).get("lang");
  language = asked in told.words ? asked : told.language;
  words = told.words[language] ?? {};
  fallback = told.words.en ?? {};
  document.documentElement.lang = language;
  return told.games;
}

/** Whether there are words for a key. */
export const known = (key) => key in words || key in fallback;

/** The text for a key; a key without words stands for itself, so that a gap is seen and nothing is hidden. */
export function t(key, values = {}) {
  const text = words[key] ?? fallback[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** The name of a rank as it is printed: T is 10. */
export const rankText = (rank) => (rank === "T" ? "10" : rank);

/** A card in words, for those who listen. */
export function cardWords(card) {
  return card === null ? t("card.down") : t("card.name", { rank: t(`rank.${card[0]}`), suit: t(`suit.${card[1]}`) });
}

// What we have no word for is called what the program calls it.
const wordsOr = (key, name) => (known(key) ? t(key) : name);

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
  return typeof name === "object" ? (name[language] ?? name.en ?? Object.values(name)[0]) : name;
}

/** A spot that nobody named: player_dragon_bonus is Player Dragon Bonus. */
const spelled = (spot) => spot.replace(/(^|_)(.)/g, (_, gap, letter) => (gap && " ") + letter.toUpperCase());

/** A kind of bet that stands for each hand or seat; names are those of the display. */
export const wagerWords = (wager, names) => houseWords(names, wager) ?? wordsOr(`wager.${wager}`, spelled(wager));

/** A place to bet; names are those of the display. */
export function spotWords(spot, names) {
  const [hand, wager] = spot.split(".");
  if (wager) return `${positionWords(hand)} ${wagerWords(wager, names)}`;
  const own = houseWords(names, spot);
  if (own) return own;
  const [kind, which] = spot.split(/_(?=[^_]+$)/);
  if (kind === "card") return rankText(which[0]) + t(`suit.sign.${which[1]}`);
  if (["sum", "single", "pair"].includes(kind) && which) return t(`spot.${kind}`, { n: rankText(which) });
  return wordsOr(`spot.${spot}`, spelled(spot));
}

/** A time of day, hh:mm:ss, as the clock on this wall shows it. */
export function timeOfDay(text) {
  const time = new Date(text);
  const two = (n) => String(n).padStart(2, "0");
  return Number.isNaN(time.getTime()) ? "" : [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(":");
}

/** Percent of a whole, one digit. */
export const percent = (part, whole) => (whole > 0 ? `${((100 * part) / whole).toFixed(1)}%` : "–");
