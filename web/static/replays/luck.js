// The dice of a game derived again, as docs/dice.md says: from seed, attempt and nonces.

const FACES = [
  [0, 1, 1, 2, 2, 3], // sugar
  [0, 1, 2, 2, 3, 4], // citrus
  [0, 1, 1, 2, 2, 3], // tobacco
  [0, 1, 1, 2, 2, 3], // rum
  [0, 1, 1, 2, 2, 3], // cigars
];
const FAIR_BYTES = 252; // the largest multiple of six that a byte can hold

/** Whether this page may check: browsers give SHA-256 only to secure pages. */
export const canCheck = Boolean(globalThis.crypto?.subtle);

/**
 * Checks the frames of a game by its `dice`: {commitment, seed, attempt, nonces}, in hex. Returns
 * {hash, salt, promised, rolls, draws}: `promised` says whether the seed is the one committed to;
 * each roll has {bytes, due, shown, same}, each draw of the caretaker {due, shown, same}.
 */
export async function check(dice, frames) {
  const seed = bytes(dice.seed);
  const hash = hex(await crypto.subtle.digest("SHA-256", seed));
  const nonces = dice.nonces.map(bytes).flatMap((nonce) => [nonce.length, ...nonce]);
  const salt = [...four(dice.attempt), ...nonces];
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", seed, hmac, false, ["sign"]);
  const digest = async (...more) => {
    const message = new Uint8Array([...salt, ...more.flat()]);
    return new Uint8Array(await crypto.subtle.sign("HMAC", key, message));
  };
  const rolls = [];
  const draws = [];
  for (const frame of frames) {
    if (frame.type === "roll") {
      const drawn = await fair(digest, rolls.length);
      const due = drawn.map((byte, die) => FACES[die][byte % 6]);
      rolls.push(compared(due, Object.values(frame.dice), drawn));
    } else if (frame.drawn) {
      const block = await digest([...new TextEncoder().encode("caretaker")], four(draws.length));
      const number = new DataView(block.buffer).getBigUint64(0) % BigInt(frame.drawn[1]);
      draws.push(compared([Number(number)], [frame.drawn[0]]));
    }
  }
  return { hash, salt: hex(salt), promised: hash === dice.commitment, rolls, draws };
}

/** The five bytes of a roll, those passed over left out. */
async function fair(digest, roll) {
  const found = [];
  for (let block = 0; found.length < FACES.length; block += 1) {
    found.push(...(await digest(four(roll), four(block))).filter((byte) => byte < FAIR_BYTES));
  }
  return found.slice(0, FACES.length);
}

function compared(due, shown, drawn = []) {
  return { bytes: hex(drawn), due, shown, same: due.join() === shown.join() };
}

function four(number) {
  return [24, 16, 8, 0].map((shift) => (number >>> shift) & 255);
}

function bytes(text) {
  if (!/^([0-9a-f]{2})*$/.test(text)) throw new RangeError(`not hexadecimal: ${text}`);
  return new Uint8Array(text.match(/../g)?.map((pair) => parseInt(pair, 16)) ?? []);
}

function hex(data) {
  return Array.from(new Uint8Array(data), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
