"""`python -m web`: the production server, whatever lies in the folder it is started from."""

from flask import Flask
from gunicorn.app.base import BaseApplication
from gunicorn.errors import AppImportError

from ladder.errors import SettingsError
from web import create_app, gunicorn


class _Site(BaseApplication):  # type: ignore[misc]  # gunicorn has no types
    """gunicorn with the settings of web/gunicorn.py."""

    def load_config(self) -> None:
        for name, value in vars(gunicorn).items():
            if name in self.cfg.settings:
                self.cfg.set(name, value)

    def load(self) -> Flask:
        try:
            return create_app()
        except SettingsError as error:
            raise AppImportError(f"Error: {error}") from None  # told without a traceback


if __name__ == "__main__":
    _Site().run()
