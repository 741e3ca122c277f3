"""Puzzles from analysed matches: one move is better by far, and deeper search agrees.

solving   what an analysis proposes, and the deeper search as a job: it opens a puzzle, retires it,
          or drops what was proposed
reading   puzzles as pages and the API show them, and the one of the day
"""
