"""Tournaments: the list, the page of one, and what organisers do on the site."""

from web.tournaments import organising
from web.tournaments.pages import blueprint

__all__ = ["blueprint", "organising"]
