// Where the VP of each player came from, up to the moment shown: as a bot's page counts them.

const SOURCES = {
  drive: "citizens",
  pick: "citizens",
  lawyer: "citizens",
  tribute: "citizens",
  visit: "buildings",
  function: "buildings",
  deliver: "deliveries",
};
const OTHERS = "turns of others"; // such as the point for the owner of a building
const GOODS = "goods at the end";

/** Fills the table `root`, with a row for each source and a column for each seat. Returns {show(at)}. */
export function sources(root, replay, { frames }) {
  return {
    show(at) {
      const shown = frames.slice(0, at + 1);
      replay.seats.forEach((_, seat) => {
        const points = new Map();
        for (const [source, by] of shown.flatMap((frame) => gains(frame, seat, replay.result))) {
          points.set(source, (points.get(source) ?? 0) + by);
        }
        for (const { dataset, cells } of root.tBodies[0].rows) {
          cells[seat + 1].textContent = String(points.get(dataset.source) ?? 0).replace("-", "−");
        }
      });
    },
  };
}

/** What a seat gains at a frame (below zero: pays), as pairs of a source and a number. */
function gains(frame, seat, { scores }) {
  const own = frame.seat === seat && SOURCES[frame.kind];
  const gained = frame.changes.filter((change) => change.seat === seat && change.what === "vp");
  const goods = frame.type === "end" && scores ? scores[seat].vp - frame.state.players[seat].vp : 0;
  return [...gained.map(({ by }) => [own || OTHERS, by]), [GOODS, goods]];
}
