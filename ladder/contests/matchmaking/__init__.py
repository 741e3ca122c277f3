"""Who meets whom on the ladders: the queue is kept a little longer than the workers can play."""

from ladder.contests.matchmaking.making import top_up

__all__ = ["top_up"]
