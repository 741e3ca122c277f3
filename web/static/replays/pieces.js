// The players' pieces: pawns and owner markers, each with its seat's colour and shape.

import { svg, symbol } from "./svg.js";

/** A seat's pawn. */
export function pawn(seat, width) {
  const height = width * 1.375;
  const mark = width * 0.42;
  return svg(
    "g",
    { class: `pawn piece seat-${seat}` },
    symbol("pawn", 0, 0, width, height),
    symbol(`seat-${seat}`, (width - mark) / 2, height * 0.6, mark, mark, { class: "glyph" }),
  );
}

/** The marker of a building's owner. */
export function ownerMarker(seat, x, y, size, label) {
  const inner = size * 0.48;
  const edge = (size - inner) / 2;
  return svg(
    "g",
    { class: `owner seat-${seat}`, transform: `translate(${x} ${y})` },
    svg("title", {}, label),
    symbol("owner", 0, 0, size),
    symbol(`seat-${seat}`, edge, edge, inner, inner, { class: "glyph" }),
  );
}
