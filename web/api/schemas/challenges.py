"""Challenges."""

from __future__ import annotations

from marshmallow import fields, validate

from ladder.contests.challenges import MOST_OPPONENTS
from web.api.fields import whole
from web.api.schemas.base import Given
from web.parameters import MOST


class NewChallenge(Given):
    """Who plays: a bot of yours against others that play now, by their ids."""

    bot = whole(1, MOST, required=True, metadata={"examples": [4]})
    opponents = fields.List(
        whole(1, MOST),
        required=True,
        validate=validate.Length(1, MOST_OPPONENTS),
        metadata={"examples": [[1, 2]]},
    )
