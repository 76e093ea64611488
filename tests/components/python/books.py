"""Stores books, finds some of them, and reads those."""

import json
import traceback
from typing import Any, Optional

import wit_world
from componentize_py_types import Err
from wit_world.imports import console, queue, search, store, types


class WitWorld(wit_world.WitWorld):
    async def run(self, arguments: list[str]) -> Optional[str]:
        try:
            return json.dumps(await main(*map(json.loads, arguments)))
        except Exception as raised:
            raise Err(types.Failure_Exception(exception(raised)))


async def main(books: list[Any], query: str) -> Any:
    for book in books:
        add(book["key"], book)
    found = find(query)
    console.write(console.Level.INFO, f"{len(found)} of {len(books)} books match")
    read = await read_all()
    mean = sum(book["year"] for book in found) // len(found)
    return {"read": read, "meanYear": mean}


def add(key: str, book: Any) -> None:
    """Stores a book, and indexes it."""
    store.put("books", key, json.dumps(book))
    search.index(json.dumps({**book, "_collection": "books", "_key": key}))


def find(query: str) -> list[Any]:
    """Returns the books that match a query, and puts their keys on the list of what to read."""
    found = []
    for result in search.query(query, search.SearchOptions("books", None, None)):
        queue.enqueue("reading", json.dumps(result.key), None)
        document = store.get("books", result.key)
        if document is not None:
            found.append(json.loads(document.data))
    return found


async def read_all() -> list[Any]:
    """Reads what is on the list."""
    read = []
    briefly = queue.QueueWaitOptions(timeout_ms=10, lease_ms=None)
    while (item := await queue.wait_for_item("reading", briefly)) is not None:
        read.append(json.loads(item.data))
        queue.commit(item.id)
    return read


def exception(raised: Exception) -> types.Exception:
    """What a script in JavaScript throws, with the positions in this file. Without it, an exception would be a trap."""
    name, message, code, details = type(raised).__name__, str(raised), None, None
    if isinstance(raised, Err) and isinstance(raised.value, types.Error):
        # The error of a call.
        name, message, details = "GError", raised.value.message, raised.value.details
        code = raised.value.code.name
    lines = list(traceback.walk_tb(raised.__traceback__))
    stack = [
        types.Frame(frame.f_code.co_name, frame.f_code.co_filename.rsplit("/", 1)[-1], line, None)
        for frame, line in reversed(lines)
    ]
    return types.Exception(name, message, stack, code, None, None, details)
