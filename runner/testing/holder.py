"""A process that takes trials, sends a call and then only holds on: something to kill.

    python -m runner.testing.holder LEDGER SWEEP TRIALS

It prints ``holding`` once everything is durable.
"""

from __future__ import annotations

import sys

import anyio

from runner.engine.clock import SystemClock
from runner.ledger import open_ledger, parse_address
from runner.testing.examples import make_request


async def hold(url: str, sweep: int, trials: int) -> None:
    """Claim, send one call for the first trial, and wait to be killed."""
    async with open_ledger(parse_address(url), clock=SystemClock()) as ledger:
        claims = await ledger.claim(sweep, most=trials)
        await ledger.journal(claims[0]).call_sent(make_request(reserved_nusd=1_000))
        sys.stdout.write("holding\n")
        sys.stdout.flush()
        await anyio.sleep_forever()


if __name__ == "__main__":
    anyio.run(hold, sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
