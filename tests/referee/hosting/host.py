"""A host as a process: python -m tests.referee.hosting.host BEFORE host --listen ADDRESS.

BEFORE is what its Python does first.
"""

import sys

from ladder.cli.main import main

if __name__ == "__main__":
    exec(sys.argv.pop(1))
    main()
