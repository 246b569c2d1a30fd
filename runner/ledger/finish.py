"""The end of an attempt, in one transaction: grades, attempt, trial, sums and contents."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import Connection, text, update

from runner.domain import (
    AttemptReport,
    Ending,
    FileContent,
    Outcome,
    WorkProduct,
    canonical_json,
    tree_of,
)
from runner.ledger.blobs import Blobs
from runner.ledger.claims import Claim, interrupt_attempt
from runner.ledger.schema import attempts, grades, trials
from runner.ledger.sums import refresh_sums, unsettle_calls
from runner.ledger.text import for_people, to_bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """A report made ready for the ledger, its contents compressed.

    Attributes:
        retry_at_us: For an infrastructure error: when to try again, or None to settle it so.
    """

    report: AttemptReport
    now_us: int
    retry_at_us: int | None
    blobs: Blobs
    answer_digest: str | None
    files_digest: str | None


def prepare_finish(report: AttemptReport, *, now_us: int, retry_at_us: int | None) -> Finish:
    """Compress what the attempt left, outside of any transaction."""
    blobs = Blobs()
    answer, files = _keep(report.work, blobs)
    return Finish(
        report=report,
        now_us=now_us,
        retry_at_us=retry_at_us,
        blobs=blobs,
        answer_digest=answer,
        files_digest=files,
    )


def finish_attempt(connection: Connection, claim: Claim, finish: Finish) -> bool:
    """Write an attempt's end; False if it does not count.

    The report of an attempt whose trial was taken over is kept as superseded.
    """
    report = finish.report
    if report.ending is Ending.INTERRUPTED:
        return interrupt_attempt(
            connection,
            claim.attempt,
            now_us=finish.now_us,
            detail=for_people(report.detail or ""),
            reason=report.reason,
        )
    finish.blobs.insert(connection)
    recorded = connection.execute(
        update(attempts)
        .where(attempts.c.id == claim.attempt, _NOT_YET_RECORDED)
        .values(_attempt_values(finish))
    )
    if recorded.rowcount == 0:
        return False
    owned = connection.execute(
        update(trials)
        .where(trials.c.id == claim.trial, trials.c.fence == claim.fence, _RUNNING)
        .values(_trial_values(finish))
    )
    counts = owned.rowcount == 1
    if not counts:
        connection.execute(
            update(attempts).where(attempts.c.id == claim.attempt).values(ending=Ending.SUPERSEDED)
        )
    for verdict in report.verdicts:
        connection.execute(
            grades.insert().values(
                attempt_id=claim.attempt,
                grader=verdict.grader,
                round=0,
                passed=verdict.passed,
                score=verdict.score,
                explanation=for_people(verdict.explanation),
            )
        )
    unsettle_calls(connection, claim.attempt)
    refresh_sums(connection, claim.trial)
    return counts


def _trial_values(finish: Finish) -> dict[str, object]:
    report = finish.report
    if report.ending is Ending.INFRA_ERROR and finish.retry_at_us is not None:
        return {
            "state": "pending",
            "fence": trials.c.fence + 1,
            "infra_tries": trials.c.infra_tries + 1,
            "not_before_us": finish.retry_at_us,
        }
    graded = report.outcome in {Outcome.PASS, Outcome.FAIL}
    return {
        "state": "settled",
        "outcome": report.outcome,
        "reason": report.reason,
        "score": report.score if graded else None,
        "passed": report.outcome is Outcome.PASS if graded else None,
        "timed_out": "timed_out" in report.flags,
        "infra_tries": trials.c.infra_tries + (0 if graded else 1),
        "seconds": report.seconds.agent,
        "settled_us": finish.now_us,
    }


def _attempt_values(finish: Finish) -> dict[str, object]:
    report = finish.report
    return {
        "ending": report.ending,
        "reason": report.reason,
        "detail": None if report.detail is None else for_people(report.detail),
        "ended_us": finish.now_us,
        "setup_seconds": report.seconds.setup,
        "agent_seconds": report.seconds.agent,
        "waiting_seconds": report.seconds.waiting,
        "grading_seconds": report.seconds.grading,
        "isolation": report.isolation,
        "flags": " ".join(report.flags),
        "answer_digest": finish.answer_digest,
        "files_digest": finish.files_digest,
    }


def _keep(work: WorkProduct | None, blobs: Blobs) -> tuple[str | None, str | None]:
    """Take a work product in; give the digests of the answer and of the list of files."""
    if work is None:
        return None, None
    answer = None if work.answer is None else blobs.add(to_bytes(work.answer))
    if work.files is None:
        return answer, None
    return answer, blobs.add(_manifest(work.files, work.left_out, blobs))


def _manifest(
    files: tuple[FileContent, ...], left_out: tuple[tuple[str, str], ...], blobs: Blobs
) -> bytes:
    for file in files:
        blobs.add(file.data)
    return canonical_json(
        {"files": tree_of(files).canonical(), "left_out": [list(entry) for entry in left_out]}
    )


_RUNNING = text("state = 'running'")
#: An attempt that was taken back may still report; one that has reported is done.
_NOT_YET_RECORDED = text("(ending IS NULL OR ending = 'interrupted')")
