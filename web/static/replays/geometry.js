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
  height: 726,
  road: loop(168, 176, 832, 476, 44, 500),
  roadWidth: 38,
  arrow: [437, 476],
  shore: 514,
  stops: [
    [500, 476], [374, 476], [248, 476],
    ...wideColumns.map((x) => [x, 176]),
    [752, 476], [626, 476],
  ],
  citizen: {
    width: 112, height: 120, portrait: [28, 7, 56], flower: [86, 5, 21],
    name: { y: 80, size: 14.5, lines: 1 }, icons: { y: 90, size: 21 },
  },
  citizens: [
    [318, 332], [192, 332],
    ...wideColumns.map((x) => [x - 56, 200]),
    [696, 332], [570, 332],
  ],
  market: { x: 444, y: 332, width: 112, height: 120, columns: 2 },
  building: {
    width: 112, height: 106, art: [4, 4, 104, 54],
    name: { y: 74, size: 12.5, lines: 1 }, icons: { y: 81, size: 20 },
    pawn: [80, 20, 29], marker: [-6, -6, 31], flower: [56, 0, 21],
  },
  buildings: [
    [16, 384], [16, 268], [16, 152],
    [146, 20], [262, 20], [378, 20],
    [510, 20], [626, 20], [742, 20],
    [872, 152], [872, 268], [872, 384],
  ],
  quarters: [
    [8, 136, 128, 362], [138, 4, 360, 130], [502, 4, 360, 130], [864, 136, 128, 362],
  ],
  pier: { x: 500, y: 496, width: 44, height: 62 },
  ship: { x: 294, y: 534, scale: 1.14 },
  flags: { x: 26, y: 582, pitch: 62, scale: 1.06 },
  track: { x: 722, y: 598, pitch: 37, scale: 1 },
};

const tallRows = range(5).map((row) => 32 + 95 * row);

export const TALL = {
  name: "tall",
  width: 480,
  height: 800,
  road: loop(120, 14, 360, 527, 30, 292),
  roadWidth: 26,
  arrow: [196, 527],
  shore: 552,
  stops: [
    [292, 527],
    ...range(5).map((row) => [120, tallRows[4 - row] + 45]),
    ...range(4).map((row) => [360, tallRows[row] + 45]),
  ],
  citizen: {
    width: 98, height: 90, portrait: [25, 3, 46], flower: [74, 4, 20],
    name: { y: 63, size: 14.5, lines: 1 }, icons: { y: 68, size: 19 },
  },
  citizens: [
    ...range(5).map((row) => [139, tallRows[4 - row]]),
    ...range(4).map((row) => [243, tallRows[row]]),
  ],
  market: { x: 243, y: tallRows[4], width: 98, height: 90, columns: 2 },
  building: {
    width: 96, height: 87, art: [12, 3, 72, 36],
    name: { y: 53, size: 13.5, lines: 2 }, icons: { y: 67, size: 18 },
    pawn: [67, 8, 26], marker: [-4, -4, 28], flower: [48, 5, 18],
  },
  buildings: [
    ...range(6).map((row) => [6, 460 - 90 * row]),
    ...range(6).map((row) => [378, 10 + 90 * row]),
  ],
  quarters: [
    [1, 276, 105, 273], [1, 2, 105, 271], [374, 2, 105, 271], [374, 276, 105, 273],
  ],
  pier: { x: 292, y: 541, width: 34, height: 52 },
  ship: { x: 84, y: 568, scale: 0.88 },
  flags: { x: 14, y: 736, pitch: 54, scale: 0.82 },
  track: { x: 228, y: 744, pitch: 35, scale: 1 },
};
