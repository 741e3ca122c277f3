// new-bot: delivers to the ship whenever it can; everything else is left to chance.
// What a decision holds is told by proto/santiago/v1: messages Decision, View and Move.
'use strict';

const { serve } = require('./serving');

class Game {
  constructor(start) {
    this.seat = start.seat;
  }

  // Returns the index of a move in `decision.legal`; may be async.
  choose(decision) {
    const indices = [...decision.legal.keys()];
    const deliveries = indices.filter((index) => decision.legal[index].text.startsWith('deliver'));
    const among = deliveries.length > 0 ? deliveries : indices;
    return among[Math.floor(Math.random() * among.length)];
  }
}

serve({ name: 'new-bot', version: '1', author: 'me', newGame: (start) => new Game(start) });
