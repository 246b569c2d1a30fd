"""A real HTTP server on loopback that speaks the Messages API by a script.

It writes each request on a bill before it answers.

In a test::

    with serve({"replies": [{"text": "4"}]}) as server:
        ...  # give server.url to the client as its base URL

As a process, for tests that kill things::

    python -m runner.testing.messages_server --script FILE --bill FILE --port-file FILE

The script is described in ``runner.testing.messages_script``. The bill is a file of JSON lines, one
for each request, forced to disk before the first byte of the answer goes out.
"""

from __future__ import annotations

import argparse
import hashlib
import signal
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import JsonValue, ValidationError

from runner.testing.messages_bill import Bill
from runner.testing.messages_events import Answer, answer
from runner.testing.messages_http import ENDPOINT, Handler, HttpServer, SeenRequest, refusal
from runner.testing.messages_rules import Block, MessagesRequest, complaint
from runner.testing.messages_script import Reply, Script, read_script


class MessagesServer:
    """The server's state; made by ``serve``."""

    def __init__(self, script: Script, *, bill: Path | None, port: int = 0) -> None:
        self._script = script
        self._bill = Bill(bill, price=script.prices.as_price())
        self._lock = threading.Lock()
        self._numbers: Counter[tuple[int, str]] = Counter()
        self._sent: dict[str, list[Block]] = {}
        self.requests: list[SeenRequest] = []
        self.stopping = threading.Event()
        self.http = HttpServer(("127.0.0.1", port), Handler)
        self.http.messages = self

    @property
    def url(self) -> str:
        """Give the base URL for a client; a path may be added to tell trials apart."""
        return f"http://127.0.0.1:{self.http.server_address[1]}"

    @property
    def bill(self) -> list[dict[str, JsonValue]]:
        """Give the lines of the bill so far."""
        return self._bill.lines()

    def decide(self, seen: SeenRequest) -> tuple[Reply | Answer, str, bool]:
        """Choose the answer to a request and put it on the bill.

        Returns:
            An HTTP error's reply or an answer, the request's id, and whether to stream.
        """
        with self._lock:
            self.requests.append(seen)
            number = len(self.requests)
            request_id = f"req_{number:08d}"
            try:
                request = MessagesRequest.model_validate(seen.body)
            except ValidationError as error:
                return refusal(str(error)), request_id, False
            reply = self._choose(request, seen, number)
            self._bill.add(seen.raw, request=request, reply=reply, request_id=request_id)
            if reply.status != 200:
                return reply, request_id, False
            seed = hashlib.sha256(seen.raw).hexdigest()
            given = answer(reply, model=request.model, seed=seed)
            self._sent |= {str(b["id"]): given.content for b in given.content if "id" in b}
            return given, request_id, request.stream

    def _choose(self, request: MessagesRequest, seen: SeenRequest, number: int) -> Reply:
        wrong = complaint(request, sent=self._sent) if self._script.check else None
        if wrong is not None:
            return refusal(wrong)
        every = self._script.every
        if every is not None and number % every.nth == 0:
            return every.reply
        prefix = seen.path.removesuffix(ENDPOINT)
        for index, entry in enumerate(self._script.entries):
            if entry.claims(first_message=request.first_text, prefix=prefix):
                place = self._numbers[index, prefix]
                self._numbers[index, prefix] += 1
                return entry.reply_to(request_number=place, turn=request.turn)
        return refusal("no entry of the script claims this request")


@contextmanager
def serve(
    script: Path | Mapping[str, object] | Script, *, bill: Path | None = None, port: int = 0
) -> Iterator[MessagesServer]:
    """Run a scripted server in a thread for as long as the block runs."""
    server = MessagesServer(read_script(script), bill=bill, port=port)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.stopping.set()
        server.http.shutdown()
        thread.join()
        server.http.server_close()


def main() -> None:
    """Serve until a signal ends the process."""
    parser = argparse.ArgumentParser(description="A scripted Messages API server on loopback.")
    parser.add_argument("--script", type=Path, required=True, help="YAML or JSON")
    parser.add_argument("--bill", type=Path, required=True, help="JSON lines are appended")
    parser.add_argument("--port-file", type=Path, required=True, help="gets the port number")
    parser.add_argument("--port", type=int, default=0, help="a free one by default")
    arguments = parser.parse_args()
    ended = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ended.set())
    with serve(arguments.script, bill=arguments.bill, port=arguments.port) as server:
        fresh = arguments.port_file.with_suffix(".tmp")
        fresh.write_text(server.url.rsplit(":", 1)[1])
        fresh.rename(arguments.port_file)
        ended.wait()


if __name__ == "__main__":
    main()
