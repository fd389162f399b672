// A picture of elements, and the least change that makes the page look like it: no flicker, no lost focus.

const SVG = "http://www.w3.org/2000/svg";

/** An element as it should be. `key` keeps an element the same one when its neighbours change. */
export function h(tag, attributes, ...children) {
  const { key = null, ...rest } = attributes ?? {};
  const wanted = children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
  return { tag, key, attributes: rest, children: wanted };
}

/** Make the children of `parent` look like `children`. */
export function patch(parent, children) {
  sync(parent, [children].flat(Infinity).filter(Boolean), parent.namespaceURI === SVG);
}

function sync(parent, children, insideSvg) {
  const keyed = new Map();
  for (const node of parent.childNodes) if (node.boardKey != null) keyed.set(node.boardKey, node);
  let at = parent.firstChild;
  for (const child of children) {
    const node = typeof child === "object" ? elementFor(child, at, keyed, insideSvg) : textFor(String(child), at);
    if (node === at) at = at.nextSibling;
    else parent.insertBefore(node, at);
    if (typeof child === "object") dress(node, child);
  }
  while (at) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

function textFor(text, at) {
  if (at?.nodeType !== Node.TEXT_NODE) return document.createTextNode(text);
  if (at.data !== text) at.data = text;
  return at;
}

function elementFor(child, at, keyed, insideSvg) {
  const fits = (node) => node?.nodeType === Node.ELEMENT_NODE && node.boardTag === child.tag;
  if (child.key !== null) {
    const known = keyed.get(child.key);
    if (fits(known)) return known;
  } else if (fits(at) && at.boardKey == null) {
    return at;
  }
  const node =
    insideSvg || child.tag === "svg" ? document.createElementNS(SVG, child.tag) : document.createElement(child.tag);
  node.boardTag = child.tag;
  node.boardKey = child.key;
  return node;
}

const remembered = new Map();

/** Another size of the screen: what was drawn for the last one is drawn anew. */
export const forgetDrawn = () => remembered.clear();

/** The same picture again while it is of the same `object`: a second that passes changes nothing in it. */
export function once(name, object, make) {
  const known = remembered.get(name);
  if (known?.object === object) return known.made;
  const made = make();
  remembered.set(name, { object, made });
  return made;
}

/** The same picture again while `value` is the same: what has not changed is not even looked at. */
export function memo(name, value, make) {
  const text = JSON.stringify(value);
  const known = remembered.get(name);
  if (known?.text === text) return known.made;
  const made = make();
  remembered.set(name, { text, made });
  return made;
}

/** Make the element look like `child`. */
export function dress(node, child) {
  if (node.boardChild === child) return;
  node.boardChild = child;
  const before = node.boardAttributes ?? {};
  for (const name of Object.keys(before)) if (!(name in child.attributes)) set(node, name, null);
  for (const [name, value] of Object.entries(child.attributes)) if (before[name] !== value) set(node, name, value);
  node.boardAttributes = child.attributes;
  sync(node, child.children, node.namespaceURI === SVG);
}

function set(node, name, value) {
  if (name.startsWith("--")) {
    if (value === null) node.style.removeProperty(name);
    else node.style.setProperty(name, value);
  } else if (name.startsWith("on")) {
    node[name] = value;
  } else if (value === null || value === undefined || value === false) {
    node.removeAttribute(name);
  } else {
    node.setAttribute(name, value === true ? "" : String(value));
  }
}
