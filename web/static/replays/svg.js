// The few ways in which the page makes SVG and HTML elements.

const SVG = "http://www.w3.org/2000/svg";

/** An SVG element with attributes and children; strings become text. */
export function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** An HTML element with attributes and children; strings become text. */
export function html(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** A drawing from the page's sheet of symbols. */
export function symbol(id, x, y, width, height = width) {
  return svg("use", { href: `#${id}`, x, y, width, height });
}

/** A symbol as an inline icon of a text. */
export function icon(id, className = "icon") {
  return svg("svg", { class: className, "aria-hidden": "true" }, svg("use", { href: `#${id}` }));
}

/** A line of SVG text. */
export function words(x, y, text, attributes = {}) {
  return svg("text", { x, y, ...attributes }, text);
}

/** The places in a data- attribute of the board's drawing. */
export function places(text) {
  return text.split(";");
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}
