// In how many tracks, each as wide as a card, the hands of the dealer's page stand: in those in which the cards are largest
// in the room that the rest of the page leaves.

// In rem, of style/dealer.css: between tracks, between rows, between cards; and the shape of a card.
const TRACKS_APART = 1.5;
const ROWS_APART = 0.3;
const CARDS_APART = 0.4;
const SHAPE = 1.42;
// So much larger cards are worth another row.
const NOTICED = 1.05;

/** Rows that hands of so many cards each need in so many tracks, in their order. */
function rowsIn(tracks, spans) {
  let rows = 1;
  let used = 0;
  for (const span of spans) {
    if (used + span > tracks) [rows, used] = [rows + 1, 0];
    used += span;
  }
  return rows;
}

/** How wide a card is there; `room`: width, height, the line above a hand. */
function cardIn(tracks, spans, [width, height, heading]) {
  const track = (width + TRACKS_APART) / tracks;
  const across = spans.map((span) => (track * span - TRACKS_APART + CARDS_APART) / span - CARDS_APART);
  const row = (height + ROWS_APART) / rowsIn(tracks, spans) - ROWS_APART;
  return Math.min(...across, (row - heading) / SHAPE);
}

/** The number of tracks with the largest cards: of as many rows the fewest, so that no hand stands alone at an end; of two
 *  numbers of rows with about as large cards the smaller one. */
export function tracksFor(spans, room) {
  let [best, rows, most] = [0, 0, -Infinity];
  const all = spans.reduce((sum, span) => sum + span, 0);
  for (let tracks = all; tracks >= Math.max(...spans); tracks -= 1) {
    const [here, card] = [rowsIn(tracks, spans), cardIn(tracks, spans, room)];
    if (here === rows || card > NOTICED * most) [best, rows, most] = [tracks, here, card];
  }
  return best;
}

let arranged = "";

/** Arrange the hands anew where what lies, or the room for it, is not what it was. */
export function arrange() {
  const lying = document.querySelector(".lying");
  const spans = [...(lying?.children ?? [])].map((one) => Number(one.dataset.span));
  if (spans.length === 0) return;
  const standing = () => [innerWidth, lying.style.getPropertyValue("--tracks"), spans, [...lying.parentElement.children].map((one) => one.offsetHeight)].join();
  if (standing() === arranged) return;
  // In one row, which needs the least: the room that there is does not depend on what stood there.
  lying.style.setProperty("--tracks", spans.reduce((sum, span) => sum + span, 0));
  const style = getComputedStyle(lying);
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  const inner = (size, ...edges) => (size - edges.reduce((sum, edge) => sum + parseFloat(edge), 0)) / rem;
  const room = [
    inner(lying.clientWidth, style.paddingLeft, style.paddingRight),
    inner(lying.clientHeight, style.paddingTop, style.paddingBottom),
    parseFloat(style.getPropertyValue("--heading")),
  ];
  lying.style.setProperty("--tracks", tracksFor(spans, room));
  arranged = standing();
}
