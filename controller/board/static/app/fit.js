// A long name is set narrower, then smaller, until it fits in its place: nothing is cut off, whatever a house calls it.

const LEAST = 0.4;
// Two languages side by side, a table and its site, are both read down to here; below it the second gives way, but for
// what is marked "both": state, result, hold and no signal.
const BOTH = 0.7;
let fitted = new WeakMap();

/** The typeface has come: nothing that was measured before holds. */
export function forget() {
  fitted = new WeakMap();
}

/** Fit every text that is marked so; one that stands as it stood, among the same others, is not measured again. */
export function fit(root = document) {
  const marked = [...root.querySelectorAll("[data-fit]")];
  const changed = marked.filter((box) => fitted.get(box) !== standing(box));
  for (const box of changed) {
    box.classList.remove("narrow", "alone");
    box.style.removeProperty("--fit");
  }
  // All are read before one is written: the browser lays the page out once, not for each.
  for (const box of changed.filter(overflows)) box.classList.add("narrow");
  const crowded = changed.filter((box) => box.dataset.fit !== "both" && box.querySelector(".beside, .site") && overflows(box) && ratio(box) < BOTH);
  for (const box of crowded) box.classList.add("alone");
  const ratios = changed.filter(overflows).map((box) => [box, Math.max(LEAST, ratio(box))]);
  for (const [box, part] of ratios) box.style.setProperty("--fit", part.toFixed(3));
  for (const box of changed) fitted.set(box, standing(box));
}

// What stands beside it takes room from it.
const standing = (box) => `${innerWidth}x${innerHeight} ${box.className.replace(/ (narrow|alone)/g, "")} ${box.parentElement.textContent}`;

// Letters reach a little above and below a tight line: that is none too many.
const SLACK = 1.25;

const overflows = (box) => box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > SLACK * box.clientHeight;

function ratio(box) {
  const wide = box.clientWidth / box.scrollWidth;
  const high = Math.min(1, (SLACK * box.clientHeight) / box.scrollHeight);
  return 0.98 * Math.min(wide, high);
}
