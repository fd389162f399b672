// What proves a finding, for the supervisor who decides: which card, where, which device, what was expected.

import { playingCard } from "./cards.js";
import { h } from "./dom.js";
import { asItBegins, fromTheLeft, joined, known, positionWords, t } from "./words.js";

// In the order in which a supervisor asks; what is not there is not told.
const FIELDS = [
  "device", "position", "next", "draw", "of_shoe", "first_draw", "copies", "decks", "drawn", "needed", "counted", "cards", "left",
  "expected", "received", "missing", "phase", "asked_for", "set", "shoe_set", "serial", "read", "why", "event", "error",
  "consumer", "previous", "by", "more",
];
const PLACES = ["position", "next"];

function said(name, value) {
  if (PLACES.includes(name)) return positionWords(value);
  if (name === "phase") return t(`phase.${value}`);
  if (name === "counted") return t(`evidence.counted.${value}`);
  return Array.isArray(value) ? joined("list", value.map((one) => asItBegins(String(one)))) : asItBegins(String(value));
}

/** A second opinion on the result, in the words of the result. */
function opinion(name, told) {
  if (!told) return null;
  const words = [told.winner && t(`result.short.${told.winner}`), told.player_pair && t("spot.player_pair"), told.banker_pair && t("spot.banker_pair")];
  return row(name, joined("remarks", words) || t("colour.none"));
}

const row = (name, value) => h("div", { key: name, "data-proof": name }, h("dt", {}, t(`evidence.${name}`)), h("dd", {}, value));

/** The card of a finding: as it is where it is named, for all or under the key; else that it is not, and why. */
function cardOf({ card, draw, got, of_shoe }, underKey) {
  if (card === undefined) return null;
  // Where another card came out than the awaited one the draw is of what came; the key opens the shoe in use only.
  const opened = card === null && got === undefined && of_shoe === undefined ? (underKey[draw] ?? null) : null;
  return h(
    "div",
    { class: "proof-card" },
    playingCard(card ?? opened, "proof"),
    card === null && h("p", { class: "unnamed" }, t(opened ? "evidence.under-key" : "evidence.unnamed")),
  );
}

function finding(proof, at, underKey) {
  const fields = FIELDS.filter((name) => proof[name] !== undefined && proof[name] !== null);
  const heading = [`evidence.${proof.code}`, `hold.${proof.code}`].find(known);
  return h(
    "li",
    { key: String(at), class: "finding", "data-finding": proof.code },
    cardOf(proof, underKey),
    h("h3", {}, heading ? t(heading) : proof.code, proof.paragraph && h("small", {}, " ", fromTheLeft(`(${proof.paragraph})`))),
    h(
      "dl",
      {},
      fields.map((name) => row(name, said(name, proof[name]))),
      "shoe" in proof && opinion("shoe", proof.shoe),
      "table" in proof && opinion("table", proof.table),
    ),
  );
}

/** All findings of a hold, and the holds that come back after it; `underKey`: draw -> a card that is not public. */
export function evidence({ evidence: findings = [], beneath = [] }, underKey = {}) {
  if (findings.length === 0 && beneath.length === 0) return null;
  return h(
    "section",
    { class: "evidence", "aria-label": t("evidence") },
    h("h2", {}, t("evidence")),
    h("ul", {}, findings.map((proof, at) => finding(proof, at, underKey))),
    beneath.length > 0 &&
      h("p", { class: "beneath" }, t("evidence.beneath"), " ", joined("list", beneath.map((reason) => (known(`hold.${reason}`) ? t(`hold.${reason}`) : reason)))),
  );
}
