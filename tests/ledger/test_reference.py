"""The page about the ledger says what the ledger is."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.ledger import Ledger, run_query
from runner.ledger.schema.reference import EXAMPLES, ledger_reference
from runner.shipped import checkout
from runner.testing.examples import make_infra_report, make_launch, make_report


def test_the_page_is_the_one_that_the_schema_gives() -> None:
    root = checkout()
    assert root is not None

    page = (Path(root) / "docs" / "ledger.md").read_text()

    assert page == ledger_reference(), "run `make docs`"


@pytest.mark.parametrize(("question", "statement"), EXAMPLES)
async def test_every_example_query_has_an_answer(
    ledger: Ledger, question: str, statement: str
) -> None:
    sweep = await ledger.launch(make_launch(), [])
    for number, claim in enumerate(await ledger.claim(sweep, most=12)):
        report = make_infra_report() if number == 3 else make_report()
        await ledger.finish(claim, report)

    answer = run_query(ledger.address, statement)

    assert answer.columns, question
