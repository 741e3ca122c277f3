"""Bots as a newcomer would write them."""
