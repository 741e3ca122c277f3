"""The pages of bots: what everybody sees of one, and what its author does with it."""

from web.bots import listing, own, page, submitting

parts = (page, listing, submitting, own)
"""The modules with a blueprint each."""
