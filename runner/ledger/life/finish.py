"""The end of an attempt, in one transaction: grades, attempt, trial, sums and contents."""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy import (
    Connection,
    Update,
    bindparam,
    insert,
    literal,
    select,
    text,
    update,
)

from runner.domain import (
    AttemptReport,
    Ending,
    FileContent,
    Outcome,
    WorkProduct,
    canonical_json,
    tree_of,
)
from runner.ledger.life.claims import Claim, interrupt_attempt
from runner.ledger.life.sums import refresh_sums, unsettle_calls
from runner.ledger.schema.tables import attempts, grades, model_calls, trials
from runner.ledger.store.blobs import Blobs
from runner.ledger.store.text import for_people, to_bytes


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
    ended = connection.execute(_END_ATTEMPT, _attempt_values(claim, finish))
    if ended.rowcount == 0:
        return False
    statement, values = _trial_change(claim, finish)
    counts = connection.execute(statement, values).rowcount == 1
    if not counts:
        connection.execute(_SUPERSEDE, {"the_attempt": claim.attempt})
    if report.verdicts:
        connection.execute(_INSERT_GRADES, _grade_rows(claim, report))
    if connection.execute(_ANY_CALL, {"the_attempt": claim.attempt}).one_or_none() is not None:
        unsettle_calls(connection, claim.attempt)
        refresh_sums(connection, claim.trial)
    return counts


def _trial_change(claim: Claim, finish: Finish) -> tuple[Update, dict[str, object]]:
    report = finish.report
    owned: dict[str, object] = {"the_trial": claim.trial, "the_fence": claim.fence}
    if report.ending is Ending.INFRA_ERROR and finish.retry_at_us is not None:
        return _OPEN_FOR_RETRY, owned | {"retry_at": finish.retry_at_us}
    graded = report.outcome in {Outcome.PASS, Outcome.FAIL}
    return _SETTLE, owned | {
        "new_outcome": report.outcome,
        "new_reason": report.reason,
        "new_score": report.score if graded else None,
        "new_passed": report.outcome is Outcome.PASS if graded else None,
        "new_timed_out": "timed_out" in report.flags,
        "new_seconds": report.seconds.agent,
        "new_settled_us": finish.now_us,
        "more_infra_tries": 0 if graded else 1,
    }


def _attempt_values(claim: Claim, finish: Finish) -> dict[str, object]:
    report = finish.report
    return {
        "the_attempt": claim.attempt,
        "new_ending": report.ending,
        "new_reason": report.reason,
        "new_detail": None if report.detail is None else for_people(report.detail),
        "new_ended_us": finish.now_us,
        "new_setup_seconds": report.seconds.setup,
        "new_agent_seconds": report.seconds.agent,
        "new_waiting_seconds": report.seconds.waiting,
        "new_grading_seconds": report.seconds.grading,
        "new_isolation": report.isolation,
        "new_flags": " ".join(report.flags),
        "new_answer_digest": finish.answer_digest,
        "new_files_digest": finish.files_digest,
    }


def _grade_rows(claim: Claim, report: AttemptReport) -> list[dict[str, object]]:
    return [
        {
            "attempt_id": claim.attempt,
            "grader": verdict.grader,
            "round": 0,
            "passed": verdict.passed,
            "score": verdict.score,
            "explanation": for_people(verdict.explanation),
        }
        for verdict in report.verdicts
    ]


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


# Statements are built once: building them costs several times what running them does.
_OWNED = (
    trials.c.id == bindparam("the_trial"),
    trials.c.fence == bindparam("the_fence"),
    text("state = 'running'"),
)
_OPEN_FOR_RETRY = (
    update(trials)
    .where(*_OWNED)
    .values(
        state="pending",
        fence=trials.c.fence + 1,
        infra_tries=trials.c.infra_tries + 1,
        not_before_us=bindparam("retry_at"),
    )
)
_SETTLE = (
    update(trials)
    .where(*_OWNED)
    .values(
        state="settled",
        outcome=bindparam("new_outcome"),
        reason=bindparam("new_reason"),
        score=bindparam("new_score"),
        passed=bindparam("new_passed"),
        timed_out=bindparam("new_timed_out"),
        seconds=bindparam("new_seconds"),
        settled_us=bindparam("new_settled_us"),
        infra_tries=trials.c.infra_tries + bindparam("more_infra_tries"),
    )
)
#: An attempt that was taken back may still report; one that has reported is done.
_END_ATTEMPT = (
    update(attempts)
    .where(
        attempts.c.id == bindparam("the_attempt"),
        text("(ending IS NULL OR ending = 'interrupted')"),
    )
    .values(
        ending=bindparam("new_ending"),
        reason=bindparam("new_reason"),
        detail=bindparam("new_detail"),
        ended_us=bindparam("new_ended_us"),
        setup_seconds=bindparam("new_setup_seconds"),
        agent_seconds=bindparam("new_agent_seconds"),
        waiting_seconds=bindparam("new_waiting_seconds"),
        grading_seconds=bindparam("new_grading_seconds"),
        isolation=bindparam("new_isolation"),
        flags=bindparam("new_flags"),
        answer_digest=bindparam("new_answer_digest"),
        files_digest=bindparam("new_files_digest"),
    )
)
_SUPERSEDE = (
    update(attempts)
    .where(attempts.c.id == bindparam("the_attempt"))
    .values(ending=Ending.SUPERSEDED.value)
)
_INSERT_GRADES = insert(grades)
_ANY_CALL = select(literal(1)).where(model_calls.c.attempt_id == bindparam("the_attempt")).limit(1)
