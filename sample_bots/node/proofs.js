// The secret that a bot and an operator may share: each proves that it knows it, nobody sends it.
// See "The shared secret" at `/docs/protocol` of the ladder's site.
'use strict';

const { createHmac, randomBytes, timingSafeEqual } = require('node:crypto');

const CHALLENGE_BYTES = 32;

function counted(bytes) {
  return Buffer.concat([Buffer.from([bytes.length]), bytes]);
}

function four(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

// The guard of one stream. Without a secret it asks for nothing.
class Guard {
  constructor(secret, start) {
    this.secret = secret;
    this.start = start;
    this.challenge = randomBytes(CHALLENGE_BYTES);
    this.proven = !secret;
  }

  // What Accept has to hold. Throws where a proof is wanted by us and not by the referee.
  accept() {
    if (!this.secret) return {};
    if (this.start.challenge.length === 0) {
      throw new Error('this referee does not share the secret');
    }
    return { challenge: this.challenge, proof: this.proof('bot->referee') };
  }

  // Whether the message after Accept is the referee's.
  admits(request) {
    if (!this.proven) {
      const due = this.proof('referee->bot');
      this.proven = request.proof.length === due.length && timingSafeEqual(request.proof, due);
    }
    return this.proven;
  }

  proof(direction) {
    const { challenge, attempt, seat, matchId } = this.start;
    const signed = [
      Buffer.from(direction), counted(challenge), counted(this.challenge),
      four(attempt), four(seat), Buffer.from(matchId),
    ];
    return createHmac('sha256', this.secret).update(Buffer.concat(signed)).digest();
  }
}

module.exports = { Guard };
