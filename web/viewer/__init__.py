"""The replay viewer: its document, the game in words, and `santiago replay view`."""
