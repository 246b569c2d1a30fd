"""A transcript for people."""

from __future__ import annotations

from collections.abc import Iterator

from runner.ledger import AttemptRecord, GradeRecord, TrialRecord
from runner.printable import one_line
from runner.reports.indented import indented
from runner.reports.kept_files import KeptFiles
from runner.reports.money import spend_text
from runner.reports.step_text import step_lines
from runner.reports.sweep_json import iso
from runner.reports.transcript import AttemptTranscript, ToolUse, Transcript


def transcript_text(transcript: Transcript, *, files: bool = False) -> str:
    """Lay out a trial, attempt by attempt.

    Args:
        transcript: What to show.
        files: List the kept files instead of what was said and done.
    """
    lines = [*_head(transcript.trial)]
    for attempt in transcript.attempts:
        lines += ["", *_attempt_lines(attempt, files=files)]
    if not transcript.attempts:
        lines += ["", "no attempt yet"]
    return "\n".join(lines)


def _head(trial: TrialRecord) -> Iterator[str]:
    name = f"{trial.sweep}/{trial.config}/{trial.repeat}/{trial.task}"
    yield f"trial {trial.id}: {one_line(name)}"
    if trial.outcome is None:
        yield f"outcome  none yet ({trial.state})"
    else:
        score = "" if trial.score is None else f", score {trial.score:g}"
        flags = ", timed out" if trial.timed_out else ""
        yield f"outcome  {trial.outcome} ({trial.reason}){score}{flags}"
    if trial.attempts:
        yield f"spend    {spend_text(trial.cost_nusd, trial.unpriced_calls)} over all attempts"


def _attempt_lines(attempt: AttemptTranscript, *, files: bool) -> Iterator[str]:
    record = attempt.record
    yield f"attempt {record.number}: {_ending(record)}"
    yield f"  {_circumstances(record)}"
    if record.detail:
        yield from indented(record.detail, by=2)
    if files:
        yield from _file_lines(attempt.files)
        return
    outputs = {step.output for step in attempt.steps if isinstance(step, ToolUse) and step.output}
    for step in attempt.steps:
        yield from step_lines(step, shown=outputs)
    if attempt.answer is not None:
        yield "  answer"
        yield from indented(attempt.answer, by=4)
    for grade in record.grades:
        yield from _grade_lines(grade)


def _ending(record: AttemptRecord) -> str:
    reason = "" if record.reason is None else f" ({record.reason})"
    match record.ending:
        case None:
            return f"not ended; held by process {record.pid} on {one_line(record.host)}"
        case "finished":
            return f"finished{reason}"
        case "superseded":
            return f"superseded{reason}: it came too late and does not count"
        case ending:
            return f"{ending}{reason}: it does not count"


def _circumstances(record: AttemptRecord) -> str:
    phases = {
        "setup": record.setup_seconds,
        "agent": record.agent_seconds,
        "waiting": record.waiting_seconds,
        "grading": record.grading_seconds,
    }
    spans = [f"{name} {seconds:.2f} s" for name, seconds in phases.items() if seconds is not None]
    parts = [f"started {iso(record.started_us)}", *spans]
    parts += [f"sandbox {record.isolation}"] if record.isolation else []
    parts += list(record.flags)
    return ", ".join(parts)


def _grade_lines(grade: GradeRecord) -> Iterator[str]:
    verdict = "pass" if grade.passed else "fail"
    again = f", grading round {grade.round}" if grade.round else ""
    yield f"  grade by {one_line(grade.grader)}: {verdict}, score {grade.score:g}{again}"
    yield from indented(grade.explanation, by=4)


def _file_lines(files: KeptFiles | None) -> Iterator[str]:
    if files is None:
        yield "  no files were kept"
        return
    for file in files.files:
        mark = "*" if file.executable else " "
        yield f"  {file.size:>10} {mark} {one_line(file.path)}"
    for path, why in files.left_out:
        yield f"  left out   {one_line(path)}: {one_line(why)}"
    yield f"  {len(files.files)} files, {sum(file.size for file in files.files)} bytes"
