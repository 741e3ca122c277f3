"""Old names of `ladder.model`."""

from ladder.model import Base as Base
from ladder.model import Timestamp as Timestamp
