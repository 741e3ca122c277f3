"""Santiago de Cuba a second time, to check the traces of the first.

Written from the rulebook, the rulings and the page of notation alone, as execute as possible, and
without a look at the engine. The table is a dict, exactly the STATE of the notation; a rule is a
generator that yields what must come next in the trace, a roll or a decision, and is sent the reply.
"""
