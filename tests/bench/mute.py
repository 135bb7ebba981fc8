"""A server that accepts and never answers: what a wedged one, or a hub behind a bad wire, looks like."""

import contextlib
import socket
import threading
from collections.abc import Iterator


@contextlib.contextmanager
def mute(listener: socket.socket) -> Iterator[list[socket.socket]]:
    """The connections that *listener* accepts and leaves without a word; all of them are closed at the end."""
    kept: list[socket.socket] = []

    def accept() -> None:
        while True:
            try:
                kept.append(listener.accept()[0])
            except OSError:
                return

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield kept
    finally:
        listener.close()
        for line in kept:
            line.close()
