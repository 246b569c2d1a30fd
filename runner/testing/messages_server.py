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
import json
import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from pydantic import JsonValue, ValidationError

from runner.testing.messages_bill import Bill
from runner.testing.messages_events import Answer, answer, error_body, events, whole_message
from runner.testing.messages_rules import Block, MessagesRequest, complaint
from runner.testing.messages_script import Reply, Script, read_script

ENDPOINT = "/v1/messages"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenRequest:
    """A request as it came; ``client`` is its connection's port."""

    path: str
    client: int
    headers: Mapping[str, str]
    body: dict[str, JsonValue]
    raw: bytes
    monotonic: float


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
        self.http = _HttpServer(("127.0.0.1", port), _Handler)
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
                return _refusal(str(error)), request_id, False
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
            return _refusal(wrong)
        every = self._script.every
        if every is not None and number % every.nth == 0:
            return every.reply
        prefix = seen.path.removesuffix(ENDPOINT)
        for index, entry in enumerate(self._script.entries):
            if entry.claims(first_message=request.first_text, prefix=prefix):
                place = self._numbers[index, prefix]
                self._numbers[index, prefix] += 1
                return entry.reply_to(request_number=place, turn=request.turn)
        return _refusal("no entry of the script claims this request")


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


class _HttpServer(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    messages: MessagesServer

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that went away: tests kill them on purpose."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _HttpServer

    def do_POST(self) -> None:
        """Answer one request by the script."""
        messages = self.server.messages
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not self.path.split("?")[0].endswith(ENDPOINT):
            self._send_json(_refusal(f"no such path {self.path}").model_copy(), "req_0")
            return
        seen = SeenRequest(
            path=self.path.split("?")[0],
            client=self.client_address[1],
            headers={key.lower(): value for key, value in self.headers.items()},
            body=json.loads(raw),
            raw=raw,
            monotonic=time.monotonic(),
        )
        given, request_id, stream = messages.decide(seen)
        reply = given.reply if isinstance(given, Answer) else given
        if reply.delay:
            messages.stopping.wait(reply.delay)
        if isinstance(given, Reply):
            self._send_json(given, request_id)
        elif stream:
            self._send_stream(given, request_id)
        else:
            self._send_whole(given, request_id)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Write no access log."""

    def _send_json(self, reply: Reply, request_id: str) -> None:
        self._send(reply.status, error_body(reply, request_id=request_id), request_id, reply)

    def _send_whole(self, given: Answer, request_id: str) -> None:
        self._send(200, whole_message(given), request_id, given.reply)

    def _send(self, status: int, body: dict[str, JsonValue], request_id: str, reply: Reply) -> None:
        if reply.hang_after is not None:
            self._hang()
            return
        data = json.dumps(body).encode()
        self._begin(status, request_id, reply, ("content-type", "application/json"))
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _send_stream(self, given: Answer, request_id: str) -> None:
        reply = given.reply
        if reply.hang_after == 0:
            self._hang()
            return
        self._begin(200, request_id, reply, ("content-type", "text/event-stream; charset=utf-8"))
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, (name, body) in enumerate(events(given)):
            if number == reply.error_after:
                self._event("error", error_body(reply, request_id=request_id))
                break
            if number == reply.end_after:
                break
            if number == reply.hang_after:
                self.server.messages.stopping.wait()
            if number in {reply.cut_after, reply.hang_after}:
                self.close_connection = True
                return
            self._event(name, body)
        else:
            if reply.hang_after is not None:
                self.server.messages.stopping.wait()
        self.wfile.write(b"0\r\n\r\n")

    def _begin(
        self, status: int, request_id: str, reply: Reply, content_type: tuple[str, str]
    ) -> None:
        self.send_response(status)
        self.send_header(*content_type)
        self.send_header("request-id", request_id)
        for name, value in reply.headers.items():
            self.send_header(name, value)

    def _event(self, name: str, body: dict[str, JsonValue]) -> None:
        data = f"event: {name}\ndata: {json.dumps(body)}\n\n".encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _hang(self) -> None:
        self.server.messages.stopping.wait()
        self.close_connection = True


def _refusal(message: str) -> Reply:
    return Reply(status=400, error="invalid_request_error", message=message)


if __name__ == "__main__":
    main()
