"""`python -m web`: the production server."""

import gc

gc.disable()  # to look for garbage while modules are imported took a seventh of the start
from web.server import serve  # noqa: E402

gc.enable()

if __name__ == "__main__":
    serve()
