"""Old names of `ladder.model`."""

from ladder.model import FairnessReport as FairnessReport
from ladder.model import LadderPlace as LadderPlace
from ladder.model import Ledger as Ledger
from ladder.model import Meeting as Meeting
from ladder.model import NeighbourTally as NeighbourTally
from ladder.model import RatingChange as RatingChange
from ladder.model import SeatTally as SeatTally
from ladder.model import Strength as Strength
