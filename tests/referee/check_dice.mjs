// Checks the dice of a game by docs/dice.md alone. Reads {seed, commitment, attempt, nonces, rolls}
// (bytes in hex) from standard input; exits 1 at the first roll that the seed does not give.
import { createHash, createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';

const FACES = [
  [0, 1, 1, 2, 2, 3],
  [0, 1, 2, 2, 3, 4],
  [0, 1, 1, 2, 2, 3],
  [0, 1, 1, 2, 2, 3],
  [0, 1, 1, 2, 2, 3],
];
const number = (n) => Buffer.from([n >>> 24, n >>> 16, n >>> 8, n]);
const game = JSON.parse(readFileSync(0));
const seed = Buffer.from(game.seed, 'hex');
const nonces = game.nonces.map((nonce) => Buffer.from(nonce, 'hex'));
const salt = Buffer.concat([
  number(game.attempt),
  ...nonces.flatMap((nonce) => [Buffer.from([nonce.length]), nonce]),
]);

function roll(r) {
  const fair = [];
  for (let block = 0; fair.length < FACES.length; block++) {
    const message = Buffer.concat([salt, number(r), number(block)]);
    fair.push(...createHmac('sha256', seed).update(message).digest().filter((byte) => byte < 252));
  }
  return FACES.map((faces, die) => faces[fair[die] % 6]);
}

if (createHash('sha256').update(seed).digest('hex') !== game.commitment) throw new Error('commitment');
game.rolls.forEach((dice, r) => {
  if (dice.join() !== roll(r).join()) throw new Error(`roll ${r} should be ${roll(r)}, not ${dice}`);
});
console.log(`${game.rolls.length} rolls are right`);
