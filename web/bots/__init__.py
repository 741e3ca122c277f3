"""The pages of bots: what everybody sees of one, and what its author does with it."""

from web.bots import challenging, listing, own, page, style, submitting

parts = (page, style, listing, submitting, own, challenging)
"""The modules with a blueprint each."""
