"""One HTTP request through the SDK, its stream read event by event."""

from __future__ import annotations

import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from functools import cache
from typing import Protocol

import anthropic
import anyio
import httpx2

from runner.domain import JsonObject
from runner.models.messages.draft import Draft
from runner.models.messages.endpoint import Endpoint
from runner.models.messages.faults import (
    Fault,
    broke_off,
    cut,
    refused,
    timed_out,
    unreachable,
)
from runner.models.messages.json_values import as_object
from runner.models.messages.key import usable_key

CONNECT_SECONDS = 20.0
DRAIN_SECONDS = 1.0
PATH = "/v1/messages"


class SentEvent(Protocol):
    """An event as the SDK gives it."""

    @property
    def event(self) -> str | None:
        """Give its name."""
        ...

    @property
    def data(self) -> str:
        """Give its text."""
        ...


class FaultError(Exception):
    """A request failed; says how."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.message)
        self.fault = fault


class Wire:
    """A connection to a service.

    Args:
        endpoint: The service.
        api_key: Its key, or None on loopback.
        request_seconds: Most seconds for one request, from its start to the end of its stream.
        silence_seconds: Most seconds without a byte from the service.
        now_us: The wall clock.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        api_key: str | None,
        request_seconds: float,
        silence_seconds: float,
        now_us: Callable[[], int],
    ) -> None:
        self._key = usable_key(api_key, endpoint=endpoint)
        self._seconds = request_seconds
        self._timeout = httpx2.Timeout(
            min(request_seconds, silence_seconds),
            connect=min(CONNECT_SECONDS, request_seconds),
        )
        self._headers = {**endpoint.headers, "accept": "text/event-stream"}
        self._now_us = now_us
        self._sdk = anthropic.AsyncAnthropic(
            api_key=self._key,
            base_url=endpoint.base_url,
            max_retries=0,
            http_client=anthropic.DefaultAsyncHttpxClient(
                verify=_certificates(),
                trust_env=not endpoint.loopback,
                follow_redirects=False,
            ),
        )

    async def close(self) -> None:
        """Close all connections."""
        await self._sdk.close()

    async def send(self, body: bytes, draft: Draft, *, on_first: Callable[[], None]) -> None:
        """Send a request and read its whole stream into ``draft``.

        Raises:
            FaultError: If no whole answer came; the draft may be complete nevertheless, where
                only the connection's end went wrong.
        """
        try:
            with anyio.fail_after(self._seconds):
                await self._send(body, draft, on_first=on_first)
        except TimeoutError as error:
            message = f"no whole answer within {self._seconds:g} s"
            raise FaultError(timed_out(message, sent=True)) from error
        except FaultError as error:
            said = error.fault.message.replace(self._key, "[key]")
            raise FaultError(replace(error.fault, message=said)) from error

    async def _send(self, body: bytes, draft: Draft, *, on_first: Callable[[], None]) -> None:
        stream = await self._open(body)
        try:
            draft.request_id = stream.response.headers.get("request-id")
            events = anthropic.AsyncStream.raw_events(stream.response)
            await _read(events, draft, on_first=on_first)
            await _drain(events)
        finally:
            await stream.close()

    async def _open(self, body: bytes) -> anthropic.AsyncStream[object]:
        try:
            return await self._sdk.post(
                PATH,
                cast_to=object,
                content=body,
                options={"timeout": self._timeout, "headers": self._headers},
                stream=True,
                stream_cls=anthropic.AsyncStream[object],
            )
        except anthropic.APIStatusError as error:
            raise FaultError(self._refused(error)) from error
        except anthropic.APITimeoutError as error:
            raise FaultError(timed_out(str(error), sent=_was_sent(error))) from error
        except anthropic.APIConnectionError as error:
            message = f"{error} {error.__cause__ or ''}".strip()
            raise FaultError(unreachable(message, sent=_was_sent(error))) from error

    def _refused(self, error: anthropic.APIStatusError) -> Fault:
        raw = error.response.text
        try:
            body = json.loads(raw)
        except (ValueError, RecursionError):
            body = None
        headers = {name.lower(): value for name, value in error.response.headers.items()}
        return refused(
            error.status_code, body, headers=headers, now_us=self._now_us(), text=raw.strip()[:500]
        )


async def _read(
    events: AsyncIterator[SentEvent], draft: Draft, *, on_first: Callable[[], None]
) -> None:
    first, request_id = True, draft.request_id
    try:
        async for sent in events:
            if first:
                on_first()
                first = False
            event = _parse(sent.data)
            if sent.event == "error" or event.get("type") == "error":
                raise FaultError(broke_off(event, request_id=request_id))
            draft.add(event)
            if draft.complete:
                return
    except httpx2.TimeoutException as error:
        raise FaultError(timed_out(f"the stream fell silent: {error}", sent=True)) from error
    except (httpx2.HTTPError, ValueError, RecursionError) as error:
        message = f"the stream was cut: {error}"
        raise FaultError(cut(message, request_id=request_id)) from error
    raise FaultError(cut("the stream ended without message_stop", request_id=request_id))


async def _drain(events: AsyncIterator[SentEvent]) -> None:
    """Read what is left after the message, so that the connection can be used again."""
    with anyio.move_on_after(DRAIN_SECONDS), contextlib.suppress(httpx2.HTTPError, ValueError):
        async for _ in events:
            pass


def _parse(data: str) -> JsonObject:
    return as_object(json.loads(data)) if data else {}


def _was_sent(error: anthropic.APIConnectionError) -> bool:
    unsent = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout)
    return not isinstance(error.__cause__, unsent)


@cache
def _certificates() -> ssl.SSLContext:
    # Reading the certificates takes 20 ms, and each attempt has a connection of its own.
    return httpx2.create_ssl_context()
