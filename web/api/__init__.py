"""The JSON API, version 1: all that the pages show and do, for programs and the pages' scripts.

Each call is an operation (`web.api.operations`). It calls the same function of the ladder as the
page and the command for it. `/api/v1/openapi.json` describes all of them.
"""
