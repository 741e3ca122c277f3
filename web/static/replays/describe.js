// The board in words, for readers who do not see it.

/** A few sentences on a state: ship, car, pawns, owners, silenced citizens, supply. */
export function describe(state, { setup, seats, names, labels }) {
  const name = (thing) => names[thing];
  const part = (label, things) => (things.length ? `${label}${labels.colon}${things.join(", ")}` : "");
  const amount = ([good, left]) => `${name(good)} ${left}`;
  const wanted = Object.entries(state.demand).filter(([, left]) => left);
  const place = state.car ? name(setup.citizens[state.car - 1]) : labels.harbour;
  const pawns = state.players.flatMap(({ pawn }, seat) =>
    pawn ? [`${seats[seat].label} ${name(pawn)}`] : [],
  );
  const owners = Object.entries(state.owners).map(
    ([building, seat]) => `${name(building)} ${seats[seat].label}`,
  );
  return [
    `${labels.ship} ${state.ship}`,
    `${labels.value} ${state.value}`,
    part(labels.demand, wanted.map(amount)),
    part(labels.car, [place]),
    part(labels.pawns, pawns),
    part(labels.owners, owners),
    part(labels.silenced, state.silenced.map(name)),
    part(labels.supply, Object.entries(state.supply).map(amount)),
  ]
    .filter(Boolean)
    .join(". ");
}
