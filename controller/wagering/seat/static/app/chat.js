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
      onpointerdown: (event) => put(seat, changed, event.currentTarget), // whoever pulls its corner holds it there
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

/** Leave the window where it is, or put it so many pixels further; all of it stays in sight. */
function put(seat, changed, window_, right = 0, down = 0) {
  const box = window_.getBoundingClientRect();
  const within = (at, most) => Math.max(0, Math.min(at, most));
  seat.chatAt = [within(box.left + right, innerWidth - box.width), within(box.top + down, innerHeight - box.height)];
  changed();
}

/** Follow the pointer with the whole window until it is let go. */
function move(event, seat, changed) {
  if (event.target.closest(".close")) return;
  const window_ = event.currentTarget.parentNode;
  const box = window_.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const follow = (to) => {
    const now = window_.getBoundingClientRect();
    put(seat, changed, window_, to.clientX - x - now.left, to.clientY - y - now.top);
  };
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
  if (!event.shiftKey) return put(seat, changed, window_, right, down);
  put(seat, changed, window_);
  const box = window_.getBoundingClientRect();
  window_.style.width = `${Math.min(box.width + right, innerWidth - box.left)}px`;
  window_.style.height = `${Math.min(box.height + down, innerHeight - box.top)}px`;
}
