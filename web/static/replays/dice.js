// Whether the dice were fair, said in words, with all numbers to copy.

import { canCheck, check } from "./luck.js";
import { html } from "./svg.js";

/** Checks the game in the reader's browser and tells the outcome in the panel `root`. */
export async function dice(root, replay, frames) {
  const part = (name) => root.querySelector(`[data-part=${name}]`);
  const say = (name) => {
    root.dataset.verdict = name;
    part("verdict").textContent = root.dataset[name];
  };
  if (!replay.dice) return say("later");
  if (!canCheck) return say("insecure");
  let found;
  try {
    found = await check(replay.dice, frames);
  } catch (error) {
    part("checks").replaceChildren(line(false, error.message));
    return say("unfair");
  }
  const { promised, rolls, draws } = found;
  const { labels } = replay;
  const counted = (what, some) => [every(some), `${labels[what]}${labels.colon}${count(some)}`];
  const results = [
    [promised, labels["dice.promise"]],
    counted("dice.rolls", rolls),
    ...(draws.length ? [counted("dice.draws", draws)] : []),
  ];
  part("checks").replaceChildren(...results.map(([good, words]) => line(good, words)));
  part("luck").hidden = false;
  root.querySelector("textarea").value = numbers(replay, found).join("\n");
  say(results.every(([good]) => good) ? "fair" : "unfair");
}

function every(comparisons) {
  return comparisons.every(({ same }) => same);
}

/** "60 / 60" */
function count(comparisons) {
  return `${comparisons.filter(({ same }) => same).length} / ${comparisons.length}`;
}

function line(good, words) {
  return html("li", { class: good ? "agrees" : "differs" }, `${sign(good)} ${words}`);
}

function sign(good) {
  return good ? "✓" : "✗";
}

/** Everything as lines of text, for readers who check by other means. */
function numbers({ dice, seats, labels }, { hash, salt, promised, rolls, draws }) {
  const { colon } = labels;
  const both = ({ due, shown, same }) => `${due.join(" ")} | ${shown.join(" ")} ${sign(same)}`;
  return [
    `${labels["dice.commitment"]}${colon}${dice.commitment}`,
    `${labels["dice.seed"]}${colon}${dice.seed}`,
    `SHA-256: ${hash} ${sign(promised)}`,
    `${labels["dice.attempt"]}${colon}${dice.attempt}`,
    ...dice.nonces.map(
      (nonce, seat) => `${labels["dice.nonce"]}, ${seats[seat].label}${colon}${nonce || "–"}`,
    ),
    `Salt: ${salt}`,
    "",
    ...rolls.map(
      (roll, number) => `${labels["dice.roll"]} ${number}${colon}${roll.bytes} → ${both(roll)}`,
    ),
    ...draws.map((draw, number) => `${labels["dice.draw"]} ${number}${colon}${both(draw)}`),
  ];
}
