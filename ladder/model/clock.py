"""Old names of `ladder.model`."""

from ladder.model import CLOCK as CLOCK
from ladder.model import now as now
