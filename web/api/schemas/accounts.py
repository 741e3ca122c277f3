"""Accounts."""

from __future__ import annotations

from marshmallow import fields

from web.api.schemas.base import Answer


class Account(Answer):
    """Whose token or browser it is."""

    id = fields.Integer()
    name = fields.String()
    role = fields.String(metadata={"description": "author, organiser or admin"})
