"""Users ask in SQL, and cannot write whatever they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.domain import Outcome
from runner.errors import UsageError
from runner.ledger import Ledger, read_ledger, run_query
from runner.testing.examples import make_infra_report, make_launch, make_report

WRITES = [
    "DELETE FROM trials",
    "UPDATE trials SET outcome = 'pass'",
    "DROP TABLE trials",
    "INSERT INTO suites (name, digest) VALUES ('x', 'y')",
    "SELECT 1; DELETE FROM trials",
    "COMMIT; DELETE FROM trials",
    "WITH gone AS (SELECT 1) DELETE FROM trials",
    "CREATE TABLE more (n INTEGER)",
    "VACUUM",
    "",
]


@pytest.mark.parametrize("statement", WRITES)
async def test_a_statement_that_writes_is_refused_and_changes_nothing(
    ledger: Ledger, statement: str
) -> None:
    await ledger.launch(make_launch(), [])

    with pytest.raises(UsageError):
        run_query(ledger.address, statement)

    assert run_query(ledger.address, "SELECT count(*) AS n FROM trials").rows == ((12,),)


@pytest.mark.parametrize(
    "statement",
    [
        "ATTACH '{file}' AS other",
        "ATTACH 'file:{file}?mode=rwc' AS other",
        "VACUUM INTO '{file}'",
    ],
)
async def test_a_statement_that_would_make_another_file_makes_none(
    ledger: Ledger, tmp_path: Path, statement: str
) -> None:
    other = tmp_path / "other.db"

    with pytest.raises(UsageError):
        run_query(ledger.address, statement.format(file=other))

    assert not other.exists()


async def test_the_views_count_infrastructure_errors_beside_the_rate_and_not_in_it(
    ledger: Ledger,
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    claims = [c for c in await ledger.claim(sweep, most=12) if c.config == "a"]
    reports = [make_report(Outcome.PASS), make_report(Outcome.FAIL), make_infra_report()]
    for claim, report in zip(claims, reports, strict=False):
        await ledger.finish(claim, report)

    answer = run_query(
        ledger.address,
        "SELECT trials, n, c, infra, open, pass_rate FROM config_scores WHERE config = 'a'",
    )
    assert answer.rows == ((6, 2, 1, 1, 3, 0.5),)
    per_repeat = run_query(
        ledger.address,
        "SELECT repeat, n, pass_rate FROM repeat_scores WHERE config = 'a' ORDER BY repeat",
    )
    assert per_repeat.rows == ((1, 2, 0.5), (2, 0, None))


async def test_numbers_come_back_as_numbers_and_what_is_none_as_null(ledger: Ledger) -> None:
    await ledger.launch(make_launch(), [])

    answer = run_query(
        ledger.address,
        "SELECT sum(repeat) AS s, avg(repeat) AS a, max(score) AS c, 1.5 AS d FROM results",
    )

    assert answer.columns == ("s", "a", "c", "d")
    assert answer.rows == ((18, 1.5, None, 1.5),)


async def test_a_reader_sees_one_state_for_as_long_as_it_reads(ledger: Ledger) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)

    with read_ledger(ledger.address) as reader:
        before = reader.summary_of(sweep)
        await ledger.finish(claim, make_report())
        assert reader.summary_of(sweep) == before
    with read_ledger(ledger.address) as reader:
        assert reader.summary_of(sweep).passed == 1
