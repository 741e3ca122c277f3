// A bot that plays sensibly by simple rules: it delivers what it can, takes what the ship wants,
// and does not drive further than it has to. All that it knows stands in proto/santiago/v1.
'use strict';

const { serve } = require('./serving');

const GOODS = ['sugar', 'citrus', 'tobacco', 'rum', 'cigars', 'wood'];
const BUILDINGS = {
  BUILDING_CHURCH: 3, BUILDING_TRADING_OFFICE: 3, BUILDING_BANK: 2, BUILDING_CAFE: 2,
  BUILDING_SAWMILL: 2, BUILDING_NEWSPAPER: 1,
};
const CITIZENS = { CITIZEN_MARIA: 2, CITIZEN_MARTINEZ: 1, CITIZEN_EL_ZORRO: 1 };
const GIVES = {
  CITIZEN_PEDRO: 'tobacco', CITIZEN_JOSE: 'sugar', CITIZEN_CONCHITA: 'citrus', CITIZEN_MIGUEL: 'wood',
};
const STOPS = 10;

// 'GOOD_SUGAR' -> 'sugar'
const named = (good) => good.slice('GOOD_'.length).toLowerCase();

class Game {
  constructor(start) {
    this.seat = start.seat;
    this.citizens = start.setup.citizens;
  }

  // The index of the move that is worth most, in VP or thereabouts.
  choose({ view, legal }) {
    const worths = legal.map((move) => this.worth(move, view));
    return worths.indexOf(Math.max(...worths));
  }

  worth(move, view) {
    const wanted = view.demand ? view.demand.wanted : {};
    const own = view.players[this.seat];
    const lacking = (good) => Math.max(0, (wanted[good] || 0) - own.goods[good]);
    const good = named(move.good);
    switch (move.verb) {
      case 'VERB_DRIVE': return this.stopWorth(view, move.count, lacking) - 0.4 * (move.count - 1);
      case 'VERB_DELIVER': return view.value * move.count;
      case 'VERB_DELIVER_WOOD': return move.count;
      case 'VERB_SHIP': return 2;
      case 'VERB_TAKE': return 1 + lacking(good);
      case 'VERB_EXCLUDE': return -own.goods[good];
      case 'VERB_VISIT': return BUILDINGS[move.building] || 0;
      case 'VERB_OWN': return 1 + (BUILDINGS[move.building] || 0);
      case 'VERB_USE': return BUILDINGS[move.building] || 0;
      case 'VERB_GIVE': return { GIFT_VP: -1, GIFT_PESO: -0.5 }[move.gift] ?? -0.7;
      case 'VERB_CONVERT': return Math.min(move.count, lacking('rum') + lacking('cigars')) - 0.1 * move.count;
      case 'VERB_SWAP': return lacking(named(move.otherGood)) - lacking(good) - (wanted[good] ? 1 : 0.1);
      case 'VERB_SERVE': return 2 * (move.otherGood === 'GOOD_UNSPECIFIED' ? 1 : 2);
      case 'VERB_SELL_WOOD': return 1.3;
      case 'VERB_BUY': return own.pesos > 9 ? 0.1 * move.count : -1;
      case 'VERB_RAISE': return GOODS.some((each) => own.goods[each] && wanted[each]) ? 0.5 : -0.5;
      default: return 0; // passing, and all else
    }
  }

  // What the stop so many steps away has for us.
  stopWorth(view, steps, lacking) {
    const stop = (view.car + steps) % STOPS;
    if (stop === 0) return this.deliveries(view);
    const citizen = this.citizens[stop - 1];
    if (view.silenced.includes(citizen)) return 0;
    const good = GIVES[citizen];
    return good ? 1 + 0.5 * Math.min(2, lacking(good)) : CITIZENS[citizen] || 0.5;
  }

  deliveries(view) {
    if (!view.demand) return 0;
    const { goods } = view.players[this.seat];
    const units = GOODS.map((good) => Math.min(goods[good], view.demand.wanted[good]));
    return 0.7 * view.value * units.reduce((sum, each) => sum + each, 0);
  }
}

serve({ name: 'node', version: '1', author: 'Santiago Arena', newGame: (start) => new Game(start) });
