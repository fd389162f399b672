// Which theme a page wears: the address asks for one (?theme=light), else the house has one, else the system.

const THEMES = ["dark", "light", "contrast"];

/** Dress the page; `house` is the house's own look, as the board tells it. */
export function wear(house) {
  const asked = new URLSearchParams(location.search).get("theme");
  const wanted = THEMES.includes(asked) ? asked : house.theme;
  const bright = matchMedia("(prefers-color-scheme: light)");
  const strong = matchMedia("(prefers-contrast: more)");
  const dress = () => {
    const system = strong.matches ? "contrast" : bright.matches ? "light" : "dark";
    document.documentElement.dataset.theme = THEMES.includes(wanted) ? wanted : system;
  };
  bright.addEventListener("change", dress);
  strong.addEventListener("change", dress);
  dress();
}
