"""Old names of `ladder.model`."""

from ladder.model import Ladder as Ladder
from ladder.model import Worker as Worker
