"""The HTTP side of the scripted Messages server: requests in, answers and faults out."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Protocol

from pydantic import JsonValue

from runner.testing.messages_events import Answer, error_body, events, whole_message
from runner.testing.messages_script import Reply

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


class Decides(Protocol):
    """Whatever knows the answers."""

    stopping: threading.Event

    def decide(self, seen: SeenRequest) -> tuple[Reply | Answer, str, bool]:
        """Give an HTTP error's reply or an answer, the request's id, and whether to stream."""
        ...


def refusal(message: str) -> Reply:
    """Give the error for a request that is wrong in itself."""
    return Reply(status=400, error="invalid_request_error", message=message)


class HttpServer(ThreadingHTTPServer):
    """A thread for each connection, none of which outlives the process."""

    daemon_threads = True
    request_queue_size = 128
    messages: Decides

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that went away: tests kill them on purpose."""


class Handler(BaseHTTPRequestHandler):
    """Carries requests in and answers out."""

    protocol_version = "HTTP/1.1"
    server: HttpServer

    def do_POST(self) -> None:
        """Answer one request by the script."""
        messages = self.server.messages
        raw = self.rfile.read(int(self.headers.get("content-length", 0)))
        if not self.path.split("?")[0].endswith(ENDPOINT):
            self._send_json(refusal(f"no such path {self.path}").model_copy(), "req_0")
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
