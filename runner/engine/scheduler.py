"""A bounded number of trials in flight until none is left: the same loop for launch and resume.

The only place that sees ledger and trials together. Trials are claimed when there is room for
them, so nothing is started up front; a retry that waits holds no room.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import anyio

from runner.domain import AttemptReport, Clock, Ending, Outcome, Reason
from runner.engine.endings import report_of
from runner.engine.floors import Floors
from runner.engine.progress import Progress, Watcher
from runner.engine.stopping import Stop, StopKind, Stopper
from runner.engine.trial import TrialWork, carry_out
from runner.errors import LedgerError, OwnershipLostError
from runner.ledger import Claim, Ledger, Unclaimable

#: Seconds before an infrastructure error is tried again: first, and how each next one grows.
FIRST_RETRY_SECONDS = 1.0
RETRY_GROWTH = 4.0
MOST_RETRY_SECONDS = 60.0
#: Between two claims that found nothing, though another process may just be taking it.
LEAST_WAIT_SECONDS = 0.05
#: How often to look for processes that died.
INHERIT_SECONDS = 5.0
#: How long recording the end of a stopped attempt may take.
FAREWELL_SECONDS = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Orders:
    """What a run of a sweep is to do.

    Attributes:
        max_in_flight: Most trials at once in this process.
        infra_attempts: Attempts in all before a trial settles as ``infra_error``.
        most_infra_errors: Stop after so many infrastructure errors in this run; None: never.
        without: Tasks and configurations whose trials stay open.
    """

    sweep: int
    max_in_flight: int
    infra_attempts: int
    most_infra_errors: int | None = None
    without: Unclaimable = Unclaimable()


class Scheduler:
    """Runs one sweep's open trials; made for one run."""

    def __init__(
        self,
        ledger: Ledger,
        orders: Orders,
        *,
        prepare: Callable[[Claim], TrialWork],
        floors: Floors,
        clock: Clock,
        stopper: Stopper,
        progress: Progress,
        watcher: Watcher,
    ) -> None:
        self._ledger = ledger
        self._orders = orders
        self._prepare = prepare
        self._floors = floors
        self._clock = clock
        self._stopper = stopper
        self._progress = progress
        self._watcher = watcher
        self._infra_errors = 0
        self._freed = anyio.Event()

    async def run(self) -> None:
        """Run until no trial can be claimed or the brake is pulled; all in flight has ended then.

        Raises:
            LedgerError: If the ledger cannot be written; nothing more is spent then.
        """
        async with anyio.create_task_group() as keepers:
            keepers.start_soon(self._ledger.keep_leases)
            keepers.start_soon(self._inherit)
            with self._stopper.scope:
                async with anyio.create_task_group() as trials:
                    while claims := await self._next_claims():
                        for claim in claims:
                            start = self._clock.monotonic()
                            self._progress.in_flight[claim.trial] = (claim, start)
                            trials.start_soon(self._attempt, claim)
            keepers.cancel_scope.cancel()

    async def _next_claims(self) -> list[Claim]:
        """Wait for room and for trials; none once there is nothing more to do."""
        while not self._stopper.pulled.is_set():
            self._freed = anyio.Event()
            room = self._orders.max_in_flight - len(self._progress.in_flight)
            if room <= 0:
                await self._freed.wait()
                continue
            with anyio.CancelScope(shield=True):  # a claim that nobody hears of would stay held
                claims = await self._ledger.claim(
                    self._orders.sweep, most=room, without=self._orders.without
                )
            if claims or not await self._wait_for_more():
                return claims
        return []

    async def _wait_for_more(self) -> bool:
        """Wait for a retry's time, or for a trial in flight, which may want one; or inherit."""
        at = await self._ledger.next_retry_us(self._orders.sweep, without=self._orders.without)
        if at is None and not self._progress.in_flight:
            return await self._ledger.take_back(self._orders.sweep) > 0
        async with anyio.create_task_group() as waits:
            if at is not None:
                seconds = max(LEAST_WAIT_SECONDS, (at - self._clock.now_us()) / 1e6)
                waits.start_soon(self._after, seconds, waits.cancel_scope)
            for event in (self._freed, self._stopper.pulled):
                waits.start_soon(_when, event, waits.cancel_scope)
        return True

    async def _inherit(self) -> None:
        """Take over from processes that die: their trials, and money that ours may wait for."""
        while True:
            await self._clock.sleep(INHERIT_SECONDS)
            if await self._ledger.take_back(self._orders.sweep):
                self._freed.set()

    async def _after(self, seconds: float, scope: anyio.CancelScope) -> None:
        await self._clock.sleep(seconds)
        scope.cancel()

    async def _attempt(self, claim: Claim) -> None:
        try:
            report = await self._carried_out(claim)
            await self._record(claim, report)
        except OwnershipLostError:
            pass  # another process took the trial over; whatever was spent is booked
        except anyio.get_cancelled_exc_class():
            await self._give_back(claim)
            raise
        finally:
            del self._progress.in_flight[claim.trial]
            self._freed.set()

    async def _carried_out(self, claim: Claim) -> AttemptReport:
        try:
            work = self._prepare(claim)
            async with self._floors.hold(work.task.sandbox):
                return await carry_out(work, journal=self._ledger.journal(claim), clock=self._clock)
        except LedgerError:
            raise
        except Exception as error:  # noqa: BLE001 - what nobody foresaw is one attempt's, not the run's
            return report_of(error)

    async def _record(self, claim: Claim, report: AttemptReport) -> None:
        """Record an attempt's end; a stop does not cut that short."""
        try:
            await self._finish(claim, report)
        except LedgerError:
            raise
        except Exception as error:  # noqa: BLE001 - a report that cannot be written is no verdict
            await self._finish(claim, report_of(error))

    async def _finish(self, claim: Claim, report: AttemptReport) -> None:
        self._brake(report)  # first: once recorded, an open trial could be claimed again
        retry_after = self._retry_after(claim, report)
        with anyio.CancelScope(shield=True):
            counts = await self._ledger.finish(claim, report, retry_after_s=retry_after)
        if counts:
            self._count(report, retried=retry_after is not None)
            self._watcher.ended(claim, report, retried=retry_after is not None)

    async def _give_back(self, claim: Claim) -> None:
        report = AttemptReport(
            ending=Ending.INTERRUPTED, reason=Reason.INTERRUPTED, detail="the run was stopped"
        )
        with anyio.move_on_after(FAREWELL_SECONDS, shield=True):
            await self._ledger.finish(claim, report)

    def _retry_after(self, claim: Claim, report: AttemptReport) -> float | None:
        tries = claim.infra_tries + 1
        if report.ending is not Ending.INFRA_ERROR or tries >= self._orders.infra_attempts:
            return None
        return min(FIRST_RETRY_SECONDS * RETRY_GROWTH**claim.infra_tries, MOST_RETRY_SECONDS)

    def _count(self, report: AttemptReport, *, retried: bool) -> None:
        match report.outcome:
            case Outcome.PASS:
                self._progress.passed += 1
            case Outcome.FAIL:
                self._progress.failed += 1
            case Outcome.INFRA_ERROR if retried:
                self._progress.retries += 1
            case Outcome.INFRA_ERROR:
                self._progress.infra_error += 1
            case None:
                pass

    def _brake(self, report: AttemptReport) -> None:
        """Start nothing new where every further trial would fail alike, or there is no money."""
        detail = report.detail or report.reason
        if report.reason.opens_breaker:
            self._stopper.drain(Stop(kind=StopKind.BREAKER, detail=detail))
        elif report.reason is Reason.BUDGET:
            self._stopper.drain(Stop(kind=StopKind.BUDGET, detail=detail))
        elif report.ending is Ending.INFRA_ERROR:
            self._infra_errors += 1
            most = self._orders.most_infra_errors
            if most is not None and self._infra_errors >= most:
                cause = f"{self._infra_errors} infrastructure errors, the last one: {detail}"
                self._stopper.drain(Stop(kind=StopKind.TOO_MANY_INFRA_ERRORS, detail=cause))


async def _when(event: anyio.Event, scope: anyio.CancelScope) -> None:
    await event.wait()
    scope.cancel()
