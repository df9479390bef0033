"""Serve a folder on 127.0.0.1 and print the address: port 8000, or a free one when that is taken.

python tools/serve.py _build/html
"""

from __future__ import annotations

import functools
import http.server
import pathlib
import signal
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:  # the terminal is for the address
        pass


class Server(http.server.ThreadingHTTPServer):
    def handle_error(self, request, client_address) -> None:
        if not isinstance(sys.exception(), ConnectionError):  # a browser that leaves before the answer is no fault
            super().handle_error(request, client_address)


def server(folder: str, port: int = 0) -> Server:
    """A server for the folder, not yet running; port 0 takes a free one."""
    handler = functools.partial(Handler, directory=folder)
    return Server(("127.0.0.1", port), handler)


def main(folder: str) -> None:
    if not pathlib.Path(folder, "index.html").exists():
        sys.exit(f"{folder} holds no index.html: run `make book`")
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        httpd = server(folder, 8000)
    except OSError:
        httpd = server(folder)
    print(f"The book is at http://127.0.0.1:{httpd.server_port}/ (Ctrl-C stops)", flush=True)
    try:
        httpd.serve_forever()
    except KeyboardInterrupt:
        print()


if __name__ == "__main__":
    main(sys.argv[1])
