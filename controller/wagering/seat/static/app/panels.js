// What opens over the table: bet limits, history, settings, help, the lobby. ESC closes it.

import { smallCard } from "/static/app/cards.js";
import { h, patch } from "/static/app/dom.js";
import { gameWords, positionWords, spotWords, t } from "/static/app/words.js";
import { ask } from "./calls.js";
import { worth } from "./layout.js";
import { money, unitOf } from "./money.js";

/** The hands of a round as they lie on the table: the Player's before the Banker's, else as they are told. */
const dealtOrder = (cards) => Object.entries(cards).sort(([one], [other]) => (other === "player") - (one === "player"));

/** One dialog for whichever panel is open. */
export class Panels {
  constructor(root, { chosen, choose, languages, house, sit, sitsAt }) {
    this.dialog = document.createElement("dialog");
    this.dialog.className = "panel";
    root.append(this.dialog);
    this.dialog.addEventListener("close", () => (this.name = null));
    this.dialog.addEventListener("click", (event) => event.target === this.dialog && this.dialog.close());
    Object.assign(this, { chosen, choose, languages, house, sit, sitsAt, name: null, seat: null, rounds: null, opened: null, tables: null, tab: "general" });
  }

  get isOpen() {
    return this.name !== null;
  }

  async open(name, seat) {
    this.name = name;
    this.seat = seat;
    this.opened = null;
    this.rounds = null;
    this.draw();
    if (!this.dialog.open) this.dialog.showModal();
    if (name === "history") await this.more();
    if (name === "lobby") await this.look();
    if (name === "responsible") this.session = (await ask("GET", "/limits")).body;
    this.draw();
  }

  close() {
    this.dialog.close();
  }

  /** The table changed: what is open shows it. */
  draw() {
    if (this.name === null) return;
    patch(this.dialog, [
      h("header", { class: "panel-head" }, h("h2", {}, t(`panel.${this.name}`)), h("button", { type: "button", class: "close", "aria-label": t("close"), onclick: () => this.close() }, "×")),
      h("div", { class: `panel-body ${this.name}`, tabindex: "0" }, this[this.name]()),
    ]);
  }

  limits() {
    const { felt, view, currency } = this.seat;
    const of = ({ min, max }) => (max === null ? "–" : t("limits.range", { min: money(min, currency), max: money(max, currency) }));
    const names = view?.display?.names;
    return h(
      "table",
      {},
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, t("bets")), h("th", { scope: "col" }, t("pays")), h("th", { scope: "col" }, t("limits")))),
      h(
        "tbody",
        {},
        Object.entries(felt?.spots ?? {}).map(([spot, told]) =>
          h("tr", { key: spot }, h("th", { scope: "row" }, spotWords(spot, names)), h("td", {}, worth(felt, view?.display, spot)), h("td", {}, of(told))),
        ),
      ),
    );
  }

  help() {
    const rows = [
      ["1 2 3 …", "key.chips"],
      [t("key.space.name"), "key.space"],
      [t("key.undo.name"), "key.undo"],
      ["ESC", "key.escape"],
    ];
    return [
      h("table", {}, h("tbody", {}, rows.map(([key, what]) => h("tr", { key: what }, h("th", { scope: "row" }, h("kbd", {}, key)), h("td", {}, t(what)))))),
      ["help.bets", "help.prices", "help.leave", "help.error"].map((key) => h("p", { key }, t(key))),
    ];
  }

  settings() {
    const chosen = this.chosen();
    const check = (name) =>
      h("label", { key: name, class: "setting" }, h("input", { type: "checkbox", checked: chosen[name], onchange: (event) => this.choose({ [name]: event.target.checked }) }), t(`setting.${name}`));
    const slide = (name) =>
      h("label", { key: name, class: "setting" }, t(`setting.${name}`), h("input", { type: "range", min: 0, max: 100, step: 10, value: chosen[name], onchange: (event) => this.choose({ [name]: Number(event.target.value) }) }));
    const select = (name, values, words) =>
      h(
        "label",
        { key: name, class: "setting" },
        t(`setting.${name}`),
        h("select", { onchange: (event) => this.choose({ [name]: event.target.value }) }, values.map((value) => h("option", { key: value, value, selected: value === chosen[name] }, words(value)))),
      );
    const tabs = {
      general: () => [select("language", this.languages, (code) => t(`language.${code}`)), check("chat")],
      video: () => [select("video", ["auto", "high", "medium", "low", "off"], (quality) => t(`video.${quality}`))],
      sound: () => [check("sound"), slide("game_volume"), slide("voice_volume")],
    };
    return [
      h(
        "div",
        { class: "tabs", role: "tablist", "aria-label": t("panel.settings") },
        Object.keys(tabs).map((name) =>
          h("button", { key: name, id: `tab-${name}`, type: "button", role: "tab", "aria-selected": String(name === this.tab), "aria-controls": "tab-body", onclick: () => ((this.tab = name), this.draw()) }, t(`tab.${name}`)),
        ),
      ),
      h("div", { id: "tab-body", role: "tabpanel", "aria-labelledby": `tab-${this.tab}` }, tabs[this.tab]()),
    ];
  }

  async more() {
    const last = this.rounds?.at(-1)?.round;
    const { status, body } = await ask("GET", `/account/history?most=20${last ? `&before=${encodeURIComponent(last)}` : ""}`);
    if (status !== 200) return;
    this.rounds = [...(this.rounds ?? []), ...body.rounds];
    this.complete = body.rounds.length < 20;
    this.draw();
  }

  history() {
    if (this.rounds === null) return h("p", { role: "status" }, t("loading"));
    if (this.opened) return this.gameHistory(this.opened);
    if (this.rounds.length === 0) return h("p", { role: "status" }, t("history.none"));
    return [
      h(
        "table",
        { class: "account-history" },
        h("thead", {}, h("tr", {}, ["date", "game", "bet", "payout"].map((name) => h("th", { key: name, scope: "col" }, t(`history.${name}`))))),
        h(
          "tbody",
          {},
          this.rounds.map((round) =>
            h(
              "tr",
              { key: round.round, "data-round": round.round },
              h("td", {}, new Date(round.opened_at).toLocaleDateString(document.documentElement.lang)),
              h("td", {}, h("button", { type: "button", class: "link", onclick: () => ((this.opened = round), this.draw()) }, `${gameWords(round.game)} ${round.game_number}`)),
              h("td", {}, money(round.staked, this.currency)),
              h("td", {}, money(round.returned, this.currency)),
            ),
          ),
        ),
      ),
      !this.complete && h("button", { type: "button", class: "more", onclick: () => this.more() }, t("history.more")),
    ];
  }

  get currency() {
    return this.seat?.currency;
  }

  gameHistory(round) {
    const amount = (minor) => (minor === null ? "–" : money(minor, this.currency));
    return [
      h("button", { type: "button", class: "link", onclick: () => ((this.opened = null), this.draw()) }, `← ${t("history.account")}`),
      h("h3", { class: "which" }, [gameWords(round.game), t("table", { table: round.table }), `${t("game-number")} ${round.game_number}`].map((part, at) => [at > 0 && " · ", h("span", {}, part)])),
      h("p", { class: "round-id" }, round.round),
      round.void && h("p", { class: "void" }, `${t(`void.${round.void.reason}`)}${round.void.rule ? ` (${round.void.rule})` : ""}. ${t("void.refund")}.`),
      round.cards && h("dl", { class: "dealt" }, dealtOrder(round.cards).map(([name, cards]) => h("div", { key: name }, h("dt", {}, name === "board" ? t("community") : positionWords(name)), h("dd", {}, cards.map((card) => [smallCard(card), " "]))))),
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, ["bets", "stake", "result", "pays", "payout"].map((name) => h("th", { key: name, scope: "col" }, t(`history.${name}`))))),
        h(
          "tbody",
          {},
          round.bets.map((bet) =>
            h("tr", { key: bet.id }, h("th", { scope: "row" }, spotWords(bet.spot, this.seat?.view?.display?.names), bet.price ? ` @ ${bet.price.toFixed(2)}` : ""), h("td", {}, amount(bet.stake)), h("td", {}, t(bet.result ? `bet.${bet.result}` : "bet.open")), h("td", {}, bet.pays ?? "–"), h("td", {}, amount(bet.returned))),
          ),
        ),
      ),
      Object.keys(round.decisions).length > 0 && h("p", {}, Object.entries(round.decisions).map(([hand, made]) => `${positionWords(hand)}: ${t(`decided.${made}`)}`).join(" · ")),
      round.pay_table && h("p", { class: "round-id" }, t("history.by", { table: round.pay_table.id, rules: round.rules })),
      h("h4", {}, t("history.ledger")),
      h("table", { class: "ledger" }, h("tbody", {}, round.lines.map((line) => h("tr", { key: line.id }, h("td", {}, line.at.slice(11, 19)), h("td", {}, t(`ledger.${line.what}`)), h("td", {}, amount(line.amount)), h("td", { class: "round-id" }, line.bet ?? ""))))),
    ];
  }

  /** RESPONSIBLE GAMING: a player's own limits of a session, and the house's page. */
  responsible() {
    const { session, currency } = this;
    if (!session) return h("p", { role: "status" }, t("loading"));
    const unit = unitOf(currency);
    const field = (name, value) =>
      h("label", { key: name, class: "setting" }, t(`session.${name}`), h("input", { name, type: "number", min: 1, step: 1, value: value ?? "", placeholder: t("session.none") }));
    const keep = async (event) => {
      event.preventDefault();
      const asked = new FormData(event.target);
      const whole = (name, times) => (asked.get(name) ? Math.round(Number(asked.get(name)) * times) : null);
      const { status, body } = await ask("PUT", "/limits", { minutes: whole("minutes", 1), loss: whole("loss", unit) });
      if (status === 200) this.session = body;
      this.draw();
    };
    const page = this.house().responsible;
    return [
      h("p", {}, t("session.so-far", { minutes: session.played_minutes, lost: money(session.lost, currency) })),
      h("form", { onsubmit: keep }, field("minutes", session.minutes), field("loss", session.loss === null ? null : session.loss / unit), h("button", { type: "submit", class: "more" }, t("session.keep"))),
      session.later && h("p", { role: "status" }, t("session.later", { hours: Math.ceil(session.later_s / 3600) })),
      h("p", {}, t("session.how")),
      page && h("a", { href: page, target: "_blank", rel: "noopener noreferrer" }, t("session.page")),
    ];
  }

  async look() {
    const { status, body } = await ask("GET", "/tables");
    if (status !== 200) return;
    this.tables = body;
    this.draw();
    if (this.name === "lobby") setTimeout(() => this.name === "lobby" && this.look(), 2000);
  }

  lobby() {
    if (this.tables === null) return h("p", { role: "status" }, t("loading"));
    return h(
      "ul",
      { class: "tables" },
      this.tables.map((told) => {
        const path = `${told.site}/${told.table}`;
        const mine = this.sitsAt(path);
        const range = told.limits?.table;
        return h(
          "li",
          { key: path, "data-table": path },
          h(
            "button",
            { type: "button", class: "go", "aria-current": mine ? "true" : null, onclick: () => this.sit(path, false) },
            h("b", {}, told.game ? gameWords(told.game) : t("table", { table: told.table })),
            h("span", {}, told.game ? `${t("table", { table: told.table })} · ${told.site}` : told.site),
            h("span", {}, told.held ? t("phase.hold") : t(`phase.${told.phase}`)),
            range && h("span", {}, t("limits.range", { min: money(range.min, told.limits.currency), max: money(range.max, told.limits.currency) })),
          ),
          !mine && h("button", { type: "button", class: "add-table", "aria-label": t("lobby.add", { table: told.table }), onclick: () => this.sit(path, true) }, t("lobby.plus")),
        );
      }),
    );
  }
}
