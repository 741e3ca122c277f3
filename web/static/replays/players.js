// The players' cards: goods, pesos, VP, markers, and what the last step changed of them.

import { html, icon } from "./svg.js";

const GOODS = ["sugar", "citrus", "tobacco", "rum", "cigars", "wood"];

/** Fills `root` with a card for each seat. Returns {show(frame)}. */
export function players(root, replay) {
  const written = [...root.children]; // by the server, one a seat
  const links = written.flatMap((card) => card.querySelector("a.bot") ?? []);
  const named = links.length === replay.seats.length;
  const cards = replay.seats.map((seat, index) =>
    card(seat, index, replay, named ? links[index] : null, written[index]?.querySelector(".rating")),
  );
  root.replaceChildren(...cards.map((card) => card.element));
  return {
    show(frame) {
      const over = frame.type === "end";
      const { scores = [] } = replay.result;
      cards.forEach((card, seat) => {
        const player = frame.state.players[seat];
        const own = frame.changes.filter((change) => change.seat === seat && change.by);
        const score = over && scores[seat];
        if (score) {
          card.show({ ...player, vp: score.vp }, [{ what: "vp", by: score.vp - player.vp }]);
        } else card.show(player, own);
        card.rank(over ? replay.ranks[seat] : null, replay.faulted.get(seat));
        card.element.classList.toggle("active", frame.turn > 0 && !over && frame.active === seat);
        card.element.classList.toggle("leads", leads(frame, seat));
      });
    },
  };
}

/** Whether a seat has the most VP, in a game that is not over and in which not all have the same. */
export function leads({ type, state }, seat) {
  const points = state.players.map(({ vp }) => vp);
  return type !== "end" && points[seat] === Math.max(...points) && points[seat] > Math.min(...points);
}

/** The card of a seat; `link` leads to its bot, `rating` says what the match changed of its rating. */
function card(seat, index, { labels, names }, link, rating) {
  const counters = new Map();
  const counter = (what, className) => {
    const made = count(what, what === "vp" ? labels.vp : names[what] ?? labels[what], className);
    counters.set(what, made);
    return made.element;
  };
  if (link) link.textContent = seat.label;
  const by = seat.version ? `v${seat.version}` : seat.author;
  const rankMark = html("span", { class: "rank-mark" });
  const element = html(
    "article",
    { class: `player seat-${index}`, "aria-label": seat.label },
    html(
      "header",
      {},
      icon(`seat-${index}`, "glyph"),
      html("h2", {}, link ?? seat.label),
      by ? html("small", { class: "by" }, by) : "",
      html("span", { class: "turn-mark" }, labels.turn),
      rankMark,
      counter("vp", "points"),
    ),
    html(
      "ul",
      { class: "holdings" },
      ...["pesos", ...GOODS, "markers"].map((what) => html("li", {}, counter(what))),
    ),
    rating ?? "",
  );
  return {
    element,
    /** The final rank, null while the game goes on. */
    rank(rank, code) {
      element.classList.toggle("first", rank === 1);
      element.classList.toggle("faulted", rank !== null && !!code);
      const fault = code ? ` · ${labels[code === "absent" ? code : "fault"]}` : "";
      if (rating) rating.hidden = rank === null;
      rankMark.textContent = rank === null ? "" : `${labels.rank} ${rank}${fault}`;
    },
    show(player, changes) {
      const held = { ...player.goods, pesos: player.pesos, vp: player.vp, markers: player.markers };
      for (const [what, shown] of counters) {
        const change = changes.find((change) => change.what === what);
        shown.show(held[what], change?.by ?? 0);
      }
    },
  };
}

function count(what, label, className = "") {
  const number = html("b", {});
  const delta = html("span", { class: "delta", "aria-hidden": "true" });
  const element = html(
    "span",
    { class: `count ${className}`, title: label, "data-what": what },
    icon(what),
    html("span", { class: "visually-hidden" }, `${label} `),
    number,
    delta,
  );
  return {
    element,
    show(value, by) {
      number.textContent = value;
      element.classList.toggle("none", value === 0);
      element.classList.toggle("gain", by > 0);
      element.classList.toggle("loss", by < 0);
      delta.textContent = by ? `${by > 0 ? "+" : "−"}${Math.abs(by)}` : "";
    },
  };
}
