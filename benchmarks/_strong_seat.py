"""Play one bot for `strong_bot`, of whatever commit stands on the path: lines in, lines out.

Started as a file, `_strong_seat.py MODULE:CLASS SECONDS`, with `-` for a bot that may use its
clock. Each line of input is JSON: `{"new": true}` for a new game, or a decision with `position`,
`time_left` and `bank_left`. It answers with the move and the processor time that it took: the bots'
own clocks count that, too, so a busy machine changes nothing.
"""

import json
import sys
from importlib import import_module
from time import thread_time
from typing import Any, Final

from referee.bot import Bot, Decision
from referee.rules import CORE, Layout, Position

UNBOUND: Final = "-"


def main() -> None:
    target, seconds = sys.argv[1:]
    print(CORE, flush=True)
    bot = _bot(target, seconds)
    layout: Layout | None = None
    for line in sys.stdin:
        asked = json.loads(line)
        if "new" in asked:
            bot = _bot(target, seconds)
            continue
        position = Position.parse(asked["position"])
        if layout is None or layout != position.layout:
            layout = position.layout
        position = Position(layout, position.players, position.cells, position.legal_moves)
        decision = Decision(position, position.seat, asked["time_left"], asked["bank_left"])
        began = thread_time()
        move = bot.choose(decision)
        print(json.dumps({"move": move, "seconds": thread_time() - began}), flush=True)


def _bot(target: str, seconds: str) -> Bot:
    module, _, name = target.partition(":")
    made: Any = getattr(import_module(module), name)
    bot: Bot = made(None if seconds == UNBOUND else float(seconds), clock=thread_time)
    return bot


if __name__ == "__main__":
    main()
