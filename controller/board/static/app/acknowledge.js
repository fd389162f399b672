// Who has seen an alert, where the house records it: a small form that asks for a badge.

import { h } from "./dom.js";
import { alertWords, asItBegins, joined, recordsWhoSaw, t, timeOfDay } from "./words.js";

// The alerts that the form is about, as the person sees them, while it is open.
let asked = null;
let complaint = null;

/** Alerts of a table that nobody has acknowledged. */
export const unseen = (view) => view.alerts.filter((alert) => !(alert.id in view.seen));

/** A button for what nobody has acknowledged yet; null where there is nothing, or nothing is recorded. */
export function acknowledging(view, changed, words) {
  const alerts = unseen(view).filter((alert) => alert.at);
  if (!recordsWhoSaw() || alerts.length === 0) return null;
  const { site, table, mode } = view;
  const ask = () => {
    [asked, complaint] = [{ site, table, mode, alerts }, null];
    changed();
  };
  const name = joined("list", [t("acknowledge"), t("table", { table })]);
  return h("button", { key: "acknowledge", class: "acknowledge", type: "button", "aria-label": name, title: t("acknowledge"), onclick: ask }, words);
}

/** Who has seen an alert, and when; null where nobody has. */
export function seenBy(view, alert) {
  const seen = view.seen[alert.id];
  return seen ? h("span", { class: "seen-by" }, "✓ ", t("acknowledge.by", { badge: seen.by, time: timeOfDay(seen.time, 2) })) : null;
}

/** The form, while it is asked for. */
export function badgeForm(changed) {
  if (asked === null) return null;
  const close = () => {
    asked = null;
    changed();
  };
  const { site, table, mode, alerts } = asked;
  return h(
    "dialog",
    { key: `acknowledge ${site}/${table}/${mode}`, class: "badge-form", "aria-label": t("acknowledge"), onclose: close },
    h("h2", {}, t("table", { table }), h("span", { class: "site" }, asItBegins(site))),
    h("ul", {}, alerts.map((alert) => h("li", { key: alert.id }, alertWords(alert)))),
    h("p", {}, t("acknowledge.says")),
    h(
      "form",
      { onsubmit: (event) => send(event, changed) },
      h("label", {}, t("acknowledge.badge"), h("input", { name: "badge", required: true, maxlength: 40, pattern: "[A-Za-z0-9_.:\\-]+", autocomplete: "off", autofocus: true })),
      complaint && h("p", { role: "alert" }, t(complaint)),
      h("button", { type: "submit" }, t("acknowledge")),
      h("button", { type: "button", onclick: close }, t("acknowledge.cancel")),
    ),
  );
}

/** Once the form has been drawn: before everything else, with the keyboard in its field. */
export function openForm() {
  document.querySelector("dialog.badge-form:not([open])")?.showModal();
}

/** Whether the form is open: its keys are its own. */
export const isAsking = () => asked !== null;

async function send(event, changed) {
  event.preventDefault();
  const sent = asked;
  const { site, table, mode } = sent;
  const alerts = sent.alerts.map(({ id, at }) => ({ id, at }));
  const body = JSON.stringify({ site, table, mode, alerts, badge: event.target.elements.badge.value });
  const answer = await fetch("/acknowledge", { method: "POST", headers: { "content-type": "application/json" }, body }).catch(() => null);
  if (asked !== sent) return;
  if (answer?.ok) asked = null;
  else complaint = answer?.status === 403 ? "acknowledge.refused" : "acknowledge.failed";
  changed();
}
