"""Commands that read, on ledgers of both databases, made by the ledger's own hand."""

from __future__ import annotations

import csv
import ctypes
import io
import json
import os
import sqlite3
from pathlib import Path

import anyio
import pytest

from runner.domain import (
    CallFate,
    FileContent,
    ModelFailure,
    Outcome,
    ToolRequest,
    ToolResult,
    WorkProduct,
)
from runner.ledger import Ledger, open_ledger, parse_address
from runner.testing.examples import (
    make_infra_report,
    make_launch,
    make_report,
    make_request,
    make_result,
)
from runner.testing.manual_clock import ManualClock
from tests.cli.conftest import Cli, write_suite

STEERING = "\x1b[2J\x07"


@pytest.fixture
def url(ledger_url: str) -> str:
    """A ledger with a sweep: one pass, one fail, one infrastructure error, the rest open."""
    anyio.run(_make_sweep, ledger_url)
    return ledger_url


async def _make_sweep(ledger_url: str) -> None:
    async with open_ledger(parse_address(ledger_url), clock=ManualClock()) as ledger:
        sweep = await ledger.launch(make_launch(), [])
        first, second, third = await ledger.claim(sweep, most=3)
        journal = ledger.journal(first)
        call = await journal.call_sent(make_request(b'{"role":"user","content":"2+2?"}'))
        answer = json.dumps({"content": [{"type": "text", "text": f"look{STEERING}"}]}).encode()
        await journal.call_completed(call, make_result(response=answer))
        tool = await journal.tool_started(ToolRequest(call=call, name="bash", input=b'{"c":"ls"}'))
        await journal.tool_finished(tool, ToolResult(exit=3, seconds=0.5, output=b"\xff\x00out"))
        cut = await journal.call_sent(make_request(b'{"role":"user","content":"2+2?"}'))
        failure = ModelFailure(
            fate=CallFate.UNKNOWN, reason="stream_cut", message="cut", partial=b'{"content":"ha"}'
        )
        await journal.call_failed(cut, failure)
        files = (FileContent(path="a/b.txt", data=b"hello"),)
        work = WorkProduct(answer="4", files=files, left_out=(("link", "a link"),))
        await ledger.finish(first, make_report(Outcome.PASS, work=work))
        await ledger.finish(second, make_report(Outcome.FAIL))
        await ledger.finish(third, make_infra_report())


def test_status_counts_and_names_what_goes_on(cli: Cli, url: str) -> None:
    done = cli("status", "--ledger", url)
    value = json.loads(cli("status", "sweep", "--ledger", url, "--json").stdout)

    assert done.returncode == 0
    assert "3 of 12 settled: 1 passed, 1 failed, 1 infra_error; 9 open" in done.stdout
    assert "1 infra_error by overloaded" in done.stdout
    assert "(1 unpriced)" in done.stdout
    assert done.stderr.startswith("next: runner resume sweep --ledger ")
    assert value["unpriced_calls"] == 1
    assert value["spend_usd"] == 7e-7
    assert value["exposed_usd"] == 1e-6
    assert sum(config["open"] for config in value["configs"]) == 9


def test_show_gives_the_whole_transcript_and_steers_no_terminal(cli: Cli, url: str) -> None:
    done = cli("show", "1", "--ledger", url)

    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "look\\x1b[2J\\x07" in done.stdout
    assert "tool 1, bash: completed, exit 3, 0.50 s" in done.stdout
    assert "\\xff\\x00out" in done.stdout
    assert "FATE UNKNOWN (stream_cut), may have been billed up to $0.000001" in done.stdout
    assert "assistant (discarded: never used)" in done.stdout
    assert done.stdout.index("call 1 ") < done.stdout.index("tool 1,")
    assert done.stdout.index("tool 1,") < done.stdout.index("call 2 ")


def test_show_finds_a_trial_by_its_parts(cli: Cli, url: str) -> None:
    number = json.loads(cli("show", "1", "--ledger", url, "--json").stdout)
    name = f"sweep/{number['config']}/{number['repeat']}/{number['task']}"

    assert json.loads(cli("show", name, "--ledger", url, "--json").stdout) == number
    by_id = name.replace("sweep", "1", 1)
    assert json.loads(cli("show", by_id, "--ledger", url, "--json").stdout) == number


def test_show_lists_the_kept_files(cli: Cli, url: str) -> None:
    listed = cli("show", "1", "--files", "--ledger", url).stdout

    assert "5   a/b.txt" in listed
    assert "left out   link: a link" in listed


def test_sql_answers_as_table_json_and_csv(cli: Cli, url: str) -> None:
    query = "SELECT 'a' AS name, 1.5 AS n, NULL AS gap, 'x,y' AS name"

    table = cli("sql", query, "--ledger", url)
    rows = json.loads(cli("sql", query, "--ledger", url, "--json").stdout)
    cells = list(csv.reader(io.StringIO(cli("sql", query, "--ledger", url, "--csv").stdout)))

    assert table.stdout.splitlines()[0].split() == ["name", "n", "gap", "name_2"]
    assert rows == [{"name": "a", "n": 1.5, "gap": None, "name_2": "x,y"}]
    assert cells == [["name", "n", "gap", "name_2"], ["a", "1.5", "", "x,y"]]


def test_a_sound_ledger_is_sound(cli: Cli, url: str) -> None:
    done = cli("db", "check", "--ledger", url, "--json")

    assert done.returncode == 0, done.stdout
    assert json.loads(done.stdout)["trials"] == 12
    assert json.loads(done.stdout)["problems"] == []


DAMAGE = {
    "spent": "UPDATE sweeps SET spent_nusd = spent_nusd + 1",
    "exposure": "UPDATE sweeps SET exposed_nusd = 0",
    "reserved": "UPDATE sweeps SET reserved_nusd = 5",
    "a verdict from nowhere": "UPDATE attempts SET ending = 'superseded'",
    "a blob": "UPDATE blobs SET data = 'other', codec = 'raw'",
    "a packed blob": "UPDATE blobs SET data = 'other', codec = 'zlib'",
    "a lost row": "DELETE FROM suites",
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
async def test_a_damaged_ledger_is_found_out(cli: Cli, tmp_path: Path, damage: str) -> None:
    await _small_ledger(tmp_path / "ledger.db")
    with sqlite3.connect(tmp_path / "ledger.db") as connection:
        connection.execute(damage)
    connection.close()

    done = cli("db", "check", "--json")

    assert done.returncode == 3
    assert json.loads(done.stdout)["problems"]


async def test_schemas_older_and_newer_are_refused_with_the_command_that_helps(
    cli: Cli, tmp_path: Path
) -> None:
    await _small_ledger(tmp_path / "ledger.db")
    with sqlite3.connect(tmp_path / "ledger.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()

    for arguments in (("status",), ("list",), ("db", "check"), ("db", "upgrade"), ("resume",)):
        done = cli(*arguments)
        assert done.returncode == 3
        assert "newer than this runner" in done.stderr
        assert "Upgrade runner" in done.stderr


def test_a_read_only_ledger_can_be_read_and_not_launched_into(cli: Cli) -> None:
    write_suite(cli, "submit: '4'")
    cli("launch", "suite.yaml")
    ledger = cli.directory / "ledger.db"
    ledger.chmod(0o444)
    cli.directory.chmod(0o555)

    read = [["status"], ["list"], ["show", "1"], ["sql", "SELECT 1"], ["db", "check"]]
    codes = {tuple(arguments): _without_privileges(cli, *arguments)[0] for arguments in read}
    launched = _without_privileges(cli, "launch", "suite.yaml")
    cli.directory.chmod(0o755)

    assert set(codes.values()) == {0}, codes
    assert launched[0] == 3
    assert launched[1].startswith("error: ledger ledger.db: ")
    assert "Make the ledger's file and directory writable" in launched[1]
    assert len(launched[1].splitlines()) == 2


def _without_privileges(cli: Cli, *arguments: str) -> tuple[int, str]:
    """Run a command that even root's permissions bind."""
    process = cli.start(*arguments, preexec_fn=_drop_root_override)
    _, stderr = process.communicate(timeout=30)
    return process.returncode, stderr


def _drop_root_override() -> None:
    """Take the capabilities from root that let it pass over permissions."""
    if os.getuid() == 0:
        for capability in (_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH):
            ctypes.CDLL(None).prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)


_PR_CAPBSET_DROP = 24
_CAP_DAC_OVERRIDE = 1
_CAP_DAC_READ_SEARCH = 2


def test_an_empty_database_gets_its_tables_by_upgrade(cli: Cli, ledger_url: str) -> None:
    if "://" not in ledger_url:
        Path(ledger_url).touch()

    refused = cli("list", "--ledger", ledger_url)
    made = cli("db", "upgrade", "--ledger", ledger_url, "--json")
    again = cli("db", "upgrade", "--ledger", ledger_url)
    listed = cli("list", "--ledger", ledger_url, "--json")

    assert refused.returncode == 3
    assert "runner db upgrade" in refused.stderr
    assert json.loads(made.stdout)["before"] is None
    assert "already" in again.stdout
    assert json.loads(listed.stdout) == []


def test_the_path_is_told_whether_or_not_it_exists(cli: Cli) -> None:
    done = cli("db", "path")

    assert done.stdout == f"{cli.directory / 'ledger.db'}\n"
    assert "not there yet" in done.stderr


async def _small_ledger(path: Path) -> None:
    async with open_ledger(parse_address(str(path)), clock=ManualClock()) as ledger:
        await _one_trial(ledger)


async def _one_trial(ledger: Ledger) -> None:
    sweep = await ledger.launch(make_launch(), [])
    (claim,) = await ledger.claim(sweep, most=1)
    journal = ledger.journal(claim)
    call = await journal.call_sent(make_request())
    await journal.call_completed(call, make_result())
    cut = await journal.call_sent(make_request())
    await journal.call_failed(
        cut, ModelFailure(fate=CallFate.UNKNOWN, reason="stream_cut", message="cut")
    )
    await ledger.finish(claim, make_report(Outcome.PASS))
