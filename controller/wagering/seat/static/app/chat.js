// What is said at a table: a window that is moved by its head, sized at its corner, and closed; by keys as well.

import { h } from "/static/app/dom.js";
import { t } from "/static/app/words.js";

const STEP = 24;
const WAYS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The window of a seat, if it is open; players may hide what others say. */
export function chatWindow(seat, changed) {
  if (!seat.talks) return null;
  const lines = seat.chosen().chat ? seat.talk : [];
  const say = async (event) => {
    event.preventDefault();
    const form = event.target;
    const text = new FormData(form).get("text").trim();
    if (text && (await seat.tell(text))) form.reset();
  };
  const close = () => {
    seat.talks = false;
    changed();
  };
  return h(
    "div",
    {
      class: "chat-window",
      role: "group",
      "aria-label": t("chat"),
      "--left": seat.chatAt && `${seat.chatAt[0]}px`,
      "--top": seat.chatAt && `${seat.chatAt[1]}px`,
      onpointerdown: (event) => put(seat, changed, event.currentTarget, ...where(seat, event.currentTarget)), // whoever pulls its corner holds it there
      onkeydown: (event) => {
        if (event.key === "Escape") close();
      },
    },
    h(
      "header",
      { onpointerdown: (event) => move(event, seat, changed) },
      h("h3", {}, t("chat")),
      h("button", { type: "button", class: "move", "aria-label": t("chat.move"), title: t("chat.move"), onkeydown: (event) => keyed(event, seat, changed) }, "✥"),
      h("button", { type: "button", class: "close", "aria-label": t("close"), onclick: close }, "×"),
    ),
    h("ol", { class: "lines", role: "log", tabindex: "0", "aria-label": t("chat") }, lines.map(({ number, player, text }) => h("li", { key: number }, h("b", {}, player), " ", text))),
    h(
      "form",
      { onsubmit: say },
      h("input", { name: "text", maxlength: 200, autocomplete: "off", "aria-label": t("chat.say"), placeholder: t("chat.say") }),
      h("button", { type: "submit", "aria-label": t("chat.send") }, "➤"),
    ),
  );
}

/** The newest line is in sight. */
export function showNewest(seat) {
  const newest = seat?.talk.at(-1)?.number;
  const lines = document.querySelector(".chat-window .lines");
  if (lines && lines.dataset.newest !== String(newest)) lines.scrollTop = lines.scrollHeight;
  if (lines) lines.dataset.newest = newest;
}

/** Where the window is, or will be with the next picture: two keys may come before it. */
function where(seat, window_) {
  const box = window_.getBoundingClientRect();
  return seat.chatAt ?? [box.left, box.top];
}

/** Put the window there; all of it stays in sight. */
function put(seat, changed, window_, left, top) {
  const box = window_.getBoundingClientRect();
  const within = (at, most) => Math.max(0, Math.min(at, most));
  seat.chatAt = [within(left, innerWidth - box.width), within(top, innerHeight - box.height)];
  changed();
}

/** Follow the pointer with the whole window until it is let go. */
function move(event, seat, changed) {
  if (event.target.closest(".close")) return;
  const window_ = event.currentTarget.parentNode;
  const [left, top] = where(seat, window_);
  const [x, y] = [event.clientX - left, event.clientY - top];
  const follow = (to) => put(seat, changed, window_, to.clientX - x, to.clientY - y);
  const over = () => ["pointermove", "pointerup", "pointercancel"].forEach((name) => removeEventListener(name, name === "pointermove" ? follow : over));
  addEventListener("pointermove", follow);
  addEventListener("pointerup", over);
  addEventListener("pointercancel", over);
}

/** Arrows move the window, with shift they size it. */
function keyed(event, seat, changed) {
  const way = WAYS[event.key];
  if (!way) return;
  event.preventDefault();
  const window_ = event.currentTarget.closest(".chat-window");
  const [right, down] = way.map((one) => one * STEP);
  const [left, top] = where(seat, window_);
  if (!event.shiftKey) return put(seat, changed, window_, left + right, top + down);
  put(seat, changed, window_, left, top);
  const box = window_.getBoundingClientRect();
  window_.style.width = `${Math.min(box.width + right, innerWidth - left)}px`;
  window_.style.height = `${Math.min(box.height + down, innerHeight - top)}px`;
}
