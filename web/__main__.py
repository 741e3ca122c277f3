"""`python -m web`: the production server."""

from web.server import serve

if __name__ == "__main__":
    serve()
