"""Train the engine's weights: `python -m referee.training`, with numpy (the extra `rl`).

playing   games to learn from, at first of the network against itself
kinds     games of players of many kinds
learning  the network while it learns: rows of floats
course    the course of a training: play, learn from all games so far, play better
searching games of the search against itself, and the moves of its trees
pricing   the prices and move priors that these moves teach
slopes    how both follow the slopes of their errors
quick_facts  what the quick look sees in many positions at once
"""
