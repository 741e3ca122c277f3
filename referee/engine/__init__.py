"""How good a position is for each seat, and what is best to do there.

evaluation  the chance of each rank for each seat, without looking further
search      what may follow, and the value of each legal move
tree        the nodes of the search
collector   keeps the garbage collector from them meanwhile
priors      what moves may gain beyond what the quick look sees
prices      what things bring by the end of the game: the numbers of the quick look
worth       who is ahead at a quick look: the evaluation of the leaves
shares      the share of the points of each seat, by who is ahead
stored      the files of prices and priors, and their fields
network     the scores that the evaluation is made of
features    the facts that the network sees, in the order of `fields`

It knows the rules alone: bots play with it, and games are analysed with it.
"""

from typing import Final

VERSION: Final = 16
"""Changes whenever the same position may be valued otherwise."""
