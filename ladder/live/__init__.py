"""What happens in a match while it is played, through Redis: never the truth, only the news."""

from ladder.live.game import GAP, GameSoFar
from ladder.live.publishing import Publisher
from ladder.live.stream import START, Cells, Event, Frame, newest, publish, read, read_many
from ladder.live.tables import Standing, layout, standings

__all__ = [
    "GAP",
    "START",
    "Cells",
    "Event",
    "Frame",
    "GameSoFar",
    "Publisher",
    "Standing",
    "layout",
    "newest",
    "publish",
    "read",
    "read_many",
    "standings",
]
