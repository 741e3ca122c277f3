"""A worker: plays matches and checks versions until it is told to stop.

process       starts it: Celery's tasks, its threads, what ends all
playing       claims a match and settles it; refereeing hands it to the referee
checks        the same for the check of a new version
stage         the event loop on which all of that is done; gate says who is let in, lag how late
              the loop is
heart         signs of life; looking tells whether a bot is back
"""
