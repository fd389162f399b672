// The signs on the buttons, drawn here: lines on a field of 24 by 24.

import { h } from "/static/app/dom.js";

const LINES = {
  lobby: "M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z",
  cashier: "M3 7h18v11H3zM3 11h18M7 15h4",
  responsible: "M12 3l8 3v6c0 5-4 8-8 9-4-1-8-4-8-9V6zM9 12l2 2 4-4",
  chat: "M4 5h16v11h-9l-4 4v-4H4zM8 9h8M8 12h5",
  history: "M4 12a8 8 0 1 0 3-6.2L4 8M4 4v4h4M12 8v4l3 2",
  sound: "M4 9v6h4l5 4V5L8 9zM16 9a4 4 0 0 1 0 6M18.500 6.500a8 8 0 0 1 0 11",
  muted: "M4 9v6h4l5 4V5L8 9zM16 9l5 6M21 9l-5 6",
  settings: "M4 7h10M18 7h2M14 5v4M4 17h2M10 17h10M6 15v4",
  help: "M9 9a3 3 0 1 1 4 2.800c-.7.3-1 .8-1 1.700v.5M12 17v.5M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18z",
  fullscreen: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
  out: "M14 4h5v16h-5M4 12h10M10 8l4 4-4 4",
  undo: "M9 5L4 10l5 5M4 10h9a6 6 0 0 1 0 12h-2",
  repeat: "M4 11a8 8 0 0 1 14-5l2 2M20 4v4h-4M20 13a8 8 0 0 1-14 5l-2-2M4 20v-4h4",
};

/** One of them, for the eye alone: what a button is called stands beside it. */
export const icon = (name) =>
  h("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, h("path", { d: LINES[name] }));
