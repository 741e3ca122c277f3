"""Casual games: people at the table, among themselves and against bots, apart from the ladder.

record      a game rebuilt from what is stored of it, and stored again
opponents   the bots that play with people
opening     open a game, invite friends, take a seat, accept with a nonce; leave
playing     choices of people and answers of bots, clocks and the caretaker, the end
history     what people have played, and when it is forgotten
hints       what a sample bot would choose in a person's place
calling     calls the bots, and lets them move until a person has to choose
outputs     what hosted bots write, for their authors
answering   this as a job: a worker holds nothing while people think

No process holds a game: each choice is a transaction that rebuilds it, applies the rules, and
stores it again. So a game outlives every process of the service, nobody's thinking takes a
worker's place, and each decision is made once, whatever is sent twice.
"""
