"""Old names of `ladder.model`."""

from ladder.model import Bot as Bot
from ladder.model import Version as Version
from ladder.model import name_given_up as name_given_up
from ladder.model import submitted_name as submitted_name
