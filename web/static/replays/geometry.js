// Where everything lies on the board: once for wide screens, once for narrow ones. Both are the
// same town: a street that is a loop, driven clockwise from the harbour, citizens inside it,
// buildings around it in four quarters, the sea below.

const range = (count) => Array.from({ length: count }, (_, index) => index);

/** A rectangle with round corners as a path that starts at (x, y) on one of its sides. */
function loop(left, top, right, bottom, radius, start) {
  const arc = (x, y) => `A${radius} ${radius} 0 0 1 ${x} ${y}`;
  return (
    `M${start} ${bottom}H${left + radius}${arc(left, bottom - radius)}V${top + radius}` +
    `${arc(left + radius, top)}H${right - radius}${arc(right, top + radius)}` +
    `V${bottom - radius}${arc(right - radius, bottom)}Z`
  );
}

const wideColumns = range(5).map((column) => 248 + 126 * column);

export const WIDE = {
  name: "wide",
  width: 1000,
  height: 716,
  road: loop(168, 172, 832, 472, 44, 500),
  roadWidth: 38,
  shore: 508,
  stops: [
    [500, 472], [374, 472], [248, 472],
    ...wideColumns.map((x) => [x, 172]),
    [752, 472], [626, 472],
  ],
  citizen: {
    width: 112, height: 120, portrait: [28, 7, 56], flower: [86, 5, 21],
    name: { y: 80, size: 14.5, lines: 1 }, icons: { y: 90, size: 21 },
  },
  citizens: [
    [318, 328], [192, 328],
    ...wideColumns.map((x) => [x - 56, 196]),
    [696, 328], [570, 328],
  ],
  market: { x: 444, y: 328, width: 112, height: 120, columns: 2 },
  building: {
    width: 116, height: 108, art: [4, 4, 108, 54],
    name: { y: 74, size: 13, lines: 1 }, icons: { y: 82, size: 20 },
    pawn: [82, 22, 28], marker: [-5, -5, 30], flower: [58, 4, 26],
  },
  buildings: [
    [14, 376], [14, 258], [14, 140],
    [146, 18], [264, 18], [382, 18],
    [502, 18], [620, 18], [738, 18],
    [870, 140], [870, 258], [870, 376],
  ],
  quarters: [
    [7, 132, 130, 360], [139, 7, 366, 127], [495, 7, 366, 127], [863, 132, 130, 360],
  ],
  pier: { x: 500, y: 491, width: 44, height: 74 },
  ship: { x: 322, y: 540, scale: 1 },
  flags: { x: 34, y: 566, pitch: 64 },
  track: { x: 706, y: 590, pitch: 39 },
};

const tallRows = range(5).map((row) => 42 + 108 * row);

export const TALL = {
  name: "tall",
  width: 480,
  height: 900,
  road: loop(120, 22, 360, 601, 30, 292),
  roadWidth: 26,
  shore: 626,
  stops: [
    [292, 601],
    ...range(5).map((row) => [120, tallRows[4 - row] + 50]),
    ...range(4).map((row) => [360, tallRows[row] + 50]),
  ],
  citizen: {
    width: 98, height: 102, portrait: [22, 4, 52], flower: [74, 4, 20],
    name: { y: 71, size: 14.5, lines: 1 }, icons: { y: 79, size: 19 },
  },
  citizens: [
    ...range(5).map((row) => [139, tallRows[4 - row]]),
    ...range(4).map((row) => [243, tallRows[row]]),
  ],
  market: { x: 243, y: tallRows[4], width: 98, height: 102, columns: 2 },
  building: {
    width: 96, height: 98, art: [3, 3, 90, 44],
    name: { y: 60, size: 13.5, lines: 2 }, icons: { y: 76, size: 19 },
    pawn: [67, 10, 26], marker: [-4, -4, 28], flower: [48, 3, 22],
  },
  buildings: [
    ...range(6).map((row) => [6, 520 - 102 * row]),
    ...range(6).map((row) => [378, 10 + 102 * row]),
  ],
  quarters: [
    [1, 311, 105, 312], [1, 2, 105, 307], [374, 2, 105, 307], [374, 311, 105, 312],
  ],
  pier: { x: 292, y: 614, width: 34, height: 60 },
  ship: { x: 62, y: 648, scale: 0.98 },
  flags: { x: 14, y: 836, pitch: 52 },
  track: { x: 234, y: 846, pitch: 34.5 },
};
