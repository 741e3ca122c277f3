"""Sample bots, written as a newcomer would write them."""
