"""Old names of `ladder.model`."""

from ladder.model import Deal as Deal
from ladder.model import Entry as Entry
from ladder.model import Tournament as Tournament
