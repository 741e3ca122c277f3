// The tiles of citizens and buildings: what is printed on them never changes during a game.

import { fitting, svg, symbol, words } from "./svg.js";

const ICON_GAP = 3;
const MARGIN = 4;
const LEAST = 0.85; // a name that has to be smaller than this goes into two lines

/** A citizen's tile; `tile` is {name, gift, icons} of the document. */
export function citizenTile(id, tile, flower, form, { colon }) {
  const { width, height, portrait, flower: at } = form;
  const [x, y, size] = portrait;
  const front = svg(
    "g",
    { class: "front" },
    svg("rect", { class: "card", width, height, rx: 9 }),
    svg("circle", { class: "sky", cx: x + size / 2, cy: y + size / 2, r: size / 2 }),
    svg(
      "svg",
      { x, y, width: size, height: size, viewBox: "0 0 48 48", class: "portrait" },
      symbol(id, 0, 0, 48),
    ),
    svg("circle", { class: "ring", cx: x + size / 2, cy: y + size / 2, r: size / 2 }),
    name(tile.name, form),
    icons(tile.icons, form),
  );
  if (flower) front.append(symbol(`flower-${flower}`, at[0], at[1], at[2]));
  return svg("g", { class: "citizen", "data-citizen": id }, title(tile, colon), front, back(tile, form));
}

/** A building's tile, without pawn and owner marker: those are pieces of their own. */
export function buildingTile(id, tile, flower, form, { colon }) {
  const [x, y, width, height] = form.art;
  const [fx, fy, size] = form.flower;
  return svg(
    "g",
    { class: "building", "data-building": id },
    title(tile, colon),
    svg("rect", { class: "card", width: form.width, height: form.height, rx: 9 }),
    svg("path", { class: "sky", d: topRounded(x, y, width, height, 6) }),
    symbol(id, x + 2, y + height - (width - 4) / 2, width - 4, (width - 4) / 2),
    svg("path", { class: "ground", d: `M${x} ${y + height}h${width}` }),
    name(tile.name, form),
    icons(tile.icons, form),
    svg("circle", { class: "medal", cx: fx, cy: fy, r: size * 0.62 }),
    symbol(`flower-${flower}`, fx - size / 2, fy - size / 2, size),
  );
}

function title(tile, colon) {
  return svg("title", {}, `${tile.name}${colon}${tile.gift}`);
}

/** The name in a line; in two where the tile has them or a long name needs them. */
function name(text, form) {
  const { y, size, lines } = form.name;
  const middle = { class: "name", "text-anchor": "middle" };
  const width = form.width - 2 * MARGIN;
  const parts = lines > 1 || fitting(text, size, width) < LEAST * size ? halves(text) : [text];
  const fitted = Math.min(...parts.map((part) => fitting(part, size, width)));
  if (parts.length === 1) {
    const at = y + (lines > 1 ? size * 0.4 : 0);
    return words(form.width / 2, at, text, { ...middle, "font-size": fitted });
  }
  const small = lines > 1 ? fitted : Math.min(fitted, 0.8 * size);
  const spans = parts.map((part, line) =>
    svg("tspan", { x: form.width / 2, dy: line ? small * 0.95 : 0 }, part),
  );
  const above = lines > 1 ? 1 : small * 0.55;
  return svg("text", { ...middle, "font-size": small, y: y - above }, ...spans);
}

/** A name cut at the space that is nearest to its middle, if it has one. */
function halves(text) {
  const spaces = [...text.matchAll(/ /g)].map(({ index }) => index);
  if (!spaces.length) return [text];
  const off = (index) => Math.abs(index - text.length / 2);
  const cut = spaces.reduce((best, index) => (off(index) < off(best) ? index : best));
  return [text.slice(0, cut), text.slice(cut + 1)];
}

/** A row of icons and short texts, centred: ["2", "tobacco"], ["sugar", "→", "rum"]. */
function icons(tokens, form) {
  const { y, size } = form.icons;
  const broad = (token) => (isIcon(token) ? size : token.length * size * 0.58);
  const total = tokens.reduce((sum, token) => sum + broad(token) + ICON_GAP, -ICON_GAP);
  let x = (form.width - total) / 2;
  const row = svg("g", { class: "gives" });
  for (const token of tokens) {
    const label = { "text-anchor": "middle", "font-size": size * 0.82 };
    row.append(
      isIcon(token)
        ? symbol(token, x, y, size)
        : words(x + broad(token) / 2, y + size * 0.78, token, label),
    );
    x += broad(token) + ICON_GAP;
  }
  return row;
}

function isIcon(token) {
  return /^[a-z-]{2,}$/.test(token);
}

/** The other side of a citizen's tile: he or she is silenced. */
function back(tile, { width, height }) {
  return svg(
    "g",
    { class: "back" },
    svg("rect", { class: "card", width, height, rx: 9 }),
    svg("rect", { class: "hatch", x: 6, y: 6, width: width - 12, height: height - 12, rx: 6 }),
    symbol("silenced", width / 2 - 22, height / 2 - 36, 44),
    words(width / 2, height - 24, tile.name, {
      class: "name", "text-anchor": "middle", "font-size": fitting(tile.name, 14, width - 12),
    }),
  );
}

function topRounded(x, y, width, height, radius) {
  const corner = `a${radius} ${radius} 0 0 1 ${radius}`;
  return (
    `M${x} ${y + height}v${radius - height}${corner} ${-radius}` +
    `h${width - 2 * radius}${corner} ${radius}v${height - radius}z`
  );
}
