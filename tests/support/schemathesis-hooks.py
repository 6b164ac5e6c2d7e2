"""Hooks of schemathesis for `cursor`: nobody can make up a cursor but the first one, and it excludes `offset`."""

import schemathesis


@schemathesis.hook
def before_call(context, case, kwargs):
    """Changes the cursors of valid requests. Invalid requests stay as they are."""
    query = case.query
    if not query or "cursor" not in query or not case.meta or not case.meta.generation.mode.is_positive:
        return
    query["cursor"] = "*"
    query.pop("offset", None)
