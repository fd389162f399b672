// What is said at a table: a window that is moved by its head, sized at its corner, and closed.

import { h } from "/static/app/dom.js";
import { t } from "/static/app/words.js";

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
    { class: "chat-window", role: "group", "aria-label": t("chat"), "--left": seat.chatAt && `${seat.chatAt[0]}px`, "--top": seat.chatAt && `${seat.chatAt[1]}px` },
    h("header", { onpointerdown: (event) => move(event, seat, changed) }, h("h3", {}, t("chat")), h("button", { type: "button", class: "close", "aria-label": t("close"), onclick: close }, "×")),
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

/** Follow the pointer with the whole window until it is let go. */
function move(event, seat, changed) {
  if (event.target.closest("button")) return;
  const box = event.currentTarget.parentNode.getBoundingClientRect();
  const [x, y] = [event.clientX - box.left, event.clientY - box.top];
  const within = (at, most) => Math.max(0, Math.min(at, most));
  const follow = (to) => {
    seat.chatAt = [within(to.clientX - x, innerWidth - box.width), within(to.clientY - y, innerHeight - box.height)];
    changed();
  };
  addEventListener("pointermove", follow);
  addEventListener("pointerup", () => removeEventListener("pointermove", follow), { once: true });
}
