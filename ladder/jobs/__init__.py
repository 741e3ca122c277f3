"""Jobs: all that is done later, exactly once. The database decides, Celery carries messages.

kinds       what a kind of job brings and is handed: queues, parties, attempts
attempts    put into the queue, claim, renew, give back, end, reap
room        the one answer to "may this begin now"; workers says who works, and with how many places
dispatch    which jobs need a message now
celery      the application that carries messages
stage       the event loop of a worker, on which its jobs are done
runner      claims, does and settles the jobs of one worker
process     the worker as a process, and its heartbeats

This package knows no match and no bot. Locks are taken in this order: the ledger, the subject of a
job (a match, a version), the parties (bots) by id, hosts by name, the worker, the job. Whoever
holds the ledger may lock a running job before its subject: nobody else but its own worker wants it
then.
"""
