"""Old names of `ladder.model`."""

from ladder.model import Match as Match
from ladder.model import Replay as Replay
from ladder.model import Seat as Seat
