// The shortcut keys of the document, and the one button that is held.

const HOLD_MS = 3000;

/** Press and let go is `once`; held for three seconds is `all`. For pointer and keyboard. */
export class Held {
  constructor(once, all) {
    this.once = once;
    this.all = all;
    this.timer = null;
  }

  down() {
    if (this.timer !== null) return;
    this.timer = setTimeout(() => {
      this.timer = null;
      this.all();
    }, HOLD_MS);
  }

  up() {
    if (this.timer === null) return;
    this.forget();
    this.once();
  }

  forget() {
    clearTimeout(this.timer);
    this.timer = null;
  }
}

const isUndo = (event) => event.key === "Delete" || event.key === "Backspace" || (event.key.toLowerCase() === "z" && (event.ctrlKey || event.metaKey));

/** Listen for keys; `seat()` is the one they are for, or null where a panel is open or nobody sits. */
export function listen(seat, undo) {
  let byKeyboard = false;
  addEventListener("pointerdown", () => (byKeyboard = false), true);
  addEventListener("keydown", (event) => {
    if (event.key === "Tab") byKeyboard = true;
    const sits = seat();
    if (!sits || event.target.closest?.("input, select, textarea, dialog")) return;
    const chip = /^[1-9]$/.test(event.key) && !event.ctrlKey && !event.metaKey && !event.altKey ? sits.chips[event.key - 1] : undefined;
    if (chip !== undefined && chip <= sits.spendable) sits.choose(chip);
    else if (isUndo(event)) undo(sits).down();
    else if (event.key === " " && !(byKeyboard && event.target.closest?.("button"))) {
      if (!event.repeat) sits.repeatOrDouble();
    } else return;
    event.preventDefault();
  });
  addEventListener("keyup", (event) => {
    const sits = seat();
    if (event.key === " " && !(byKeyboard && event.target.closest?.("button"))) event.preventDefault();
    if (sits && (isUndo(event) || event.key.toLowerCase() === "z")) undo(sits).up();
  });
  addEventListener("blur", () => seat() && undo(seat()).forget());
}
