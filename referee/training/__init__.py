"""Train the engine's weights: `python -m referee.training`, with numpy (the extra `rl`).

playing   games to learn from, at first of the network against itself
kinds     games of players of many kinds
learning  the network while it learns: rows of floats, and how they follow slopes
course    the course of a training: play, learn from all games so far, play better
searching games of the search against itself, and the moves of its trees
pricing   the prices and move priors that these moves teach
quick_facts  what the quick look sees in many positions at once
"""
