"""new-bot: delivers to the ship whenever it can, and else takes what leaves it with most."""

from referee.bot import Bot, Decision
from referee.rules import Move, Position, move_text
from referee.serving import serve


class MyBot(Bot):
    """One object plays one game: what it keeps in `self` it knows at the next decision."""

    name = "new-bot"
    version = "1"
    author = "me"

    def choose(self, decision: Decision) -> Move:
        """One of `decision.moves`; `decision.position` is a copy to try them out on."""
        deliveries = [move for move in decision.moves if move_text(move).startswith("deliver")]
        return max(deliveries or decision.moves, key=lambda move: gain(decision, move))


def gain(decision: Decision, move: Move) -> float:
    """Return the seat's worth after a move."""
    after = decision.position.copy()
    after.apply(move)
    return worth(after, decision.seat)


def worth(position: Position, seat: int) -> float:
    """All that a seat has, in victory points: at the end three goods are 1."""
    return position.vp(seat) + 0.3 * position.pesos(seat) + sum(position.goods(seat)) / 3


if __name__ == "__main__":
    serve(MyBot)
