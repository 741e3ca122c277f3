"""What happens in a match while it is played, through Redis: never the truth, only the news."""

from ladder.live.publishing import Publisher
from ladder.live.stream import Event, Frame, publish, read

__all__ = ["Event", "Frame", "Publisher", "publish", "read"]
