"""A launch from its first line to its exit code, and what resume makes of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from runner.testing.messages_server import MessagesServer, serve
from tests.cli.conftest import Cli, write_suite

CONTRACT = {"sweep", "name", "suite", "state", "trials", "spend_usd", "unpriced_calls"}
COUNTS = {"total", "settled", "passed", "failed", "infra_error", "open"}


def test_a_launch_names_the_sweep_first_and_the_command_that_goes_on_last(cli: Cli) -> None:
    write_suite(cli, "submit: '4'")

    done = cli("launch", "suite.yaml", "--repeats", "2", "--name", "first one")

    lines = done.stderr.splitlines()
    assert done.returncode == 0
    assert lines[0].startswith("sweep first one: 4 trials (2 tasks, 1 configuration, 2 repeats)")
    assert lines[-1] == "next: runner status 'first one'"
    assert "sums/[red]four  2/2" in done.stdout
    assert "sums/two        0/2" in done.stdout


@pytest.mark.parametrize("name", ["\x1b[31mred", "-z", "12", "a/b"])
def test_a_name_that_could_be_taken_for_something_else_is_misuse(cli: Cli, name: str) -> None:
    write_suite(cli, "submit: '4'")

    done = cli("launch", "suite.yaml", f"--name={name}")

    assert done.returncode == 2
    assert "\x1b" not in done.stdout + done.stderr
    assert done.stderr.startswith("error: the sweep's name")


def test_the_command_that_goes_on_can_be_pasted_whatever_the_suite_is_called(cli: Cli) -> None:
    write_suite(cli, "submit: '4'")
    file = cli.directory / "suite.yaml"
    file.write_text(file.read_text().replace("suite: play", 'suite: "-z"'))

    done = cli("launch", "suite.yaml")

    assert done.stderr.splitlines()[-1] == "next: runner status 1"
    assert cli("status", "1").stdout.startswith("sweep -z-1 (id 1)")


def test_a_suite_that_ships_is_launched_by_its_name_alone(cli: Cli) -> None:
    done = cli("launch", "warmup", "--config", "nop", "--repeats", "1", "--limit", "2")

    assert done.returncode == 0
    assert done.stdout.startswith("sweep warmup-1 (id 1) of suite warmup: complete")


def test_launch_and_status_print_the_same_counts_as_json(cli: Cli) -> None:
    write_suite(cli, "submit: '4'")

    launched = json.loads(cli("launch", "suite.yaml", "--repeats", "3", "--json").stdout)
    status = json.loads(cli("status", "--json").stdout)
    listed = json.loads(cli("list", "--json").stdout)

    assert launched["trials"] == status["trials"] == listed[0]["trials"]
    assert {name: launched["trials"][name] for name in COUNTS} == {
        "total": 6,
        "settled": 6,
        "passed": 3,
        "failed": 3,
        "infra_error": 0,
        "open": 0,
    }
    assert launched["exit_code"] == 0
    assert launched["interrupted"] is False
    assert launched["spend_usd"] == 0
    assert set(launched) & set(status) & set(listed[0]) >= CONTRACT


def test_infrastructure_errors_that_stay_are_exit_4_and_resume_tries_them_again(cli: Cli) -> None:
    write_suite(cli, "{fail: overloaded, message: busy}", infra_attempts=1)

    launched = cli("launch", "suite.yaml", "--json")
    cli.write("steps.yaml", "steps:\n  - submit: '4'\n")
    refused = cli("resume")
    resumed = cli("resume", "play-1", "--json", "--only-unchanged")

    assert launched.returncode == 4
    assert json.loads(launched.stdout)["trials"]["infra_error"] == 2
    assert launched.stderr.splitlines()[-1] == "next: runner resume play-1"
    assert refused.returncode == 2
    assert "--only-unchanged" in refused.stderr
    assert resumed.returncode == 4
    assert "0 kept, 2 to run" in resumed.stderr.splitlines()[0]


def test_a_dead_key_leaves_the_trials_open(cli: Cli) -> None:
    write_suite(cli, "{fail: auth, message: invalid key}", max_in_flight=1)

    done = cli("launch", "suite.yaml", "--json")

    assert done.returncode == 4
    assert json.loads(done.stdout)["trials"]["open"] == 2
    assert "stopped: invalid key" in done.stderr


def test_a_resume_of_a_complete_sweep_has_nothing_to_do(cli: Cli) -> None:
    write_suite(cli, "submit: '4'")
    cli("launch", "suite.yaml")

    done = cli("resume", "play-1")

    assert done.returncode == 0
    assert "2 kept, 0 to run" in done.stderr
    assert "nothing to run" in done.stderr


def test_a_resume_adds_repeats(cli: Cli) -> None:
    write_suite(cli, "submit: '4'")
    cli("launch", "suite.yaml")

    done = cli("resume", "--repeats", "3", "--json")

    assert done.returncode == 0
    assert json.loads(done.stdout)["trials"]["settled"] == 6
    assert "2 kept, 4 to run (4 missing, 0 interrupted, 0 infra)" in done.stderr


def test_launch_and_resume_work_on_either_database(cli: Cli, ledger_url: str) -> None:
    write_suite(cli, "submit: '4'")

    launched = cli("launch", "suite.yaml", "--json", RUNNER_LEDGER=ledger_url)
    resumed = cli("resume", "--repeats", "2", "--json", RUNNER_LEDGER=ledger_url)
    checked = cli("db", "check", RUNNER_LEDGER=ledger_url)

    assert [launched.returncode, resumed.returncode, checked.returncode] == [0, 0, 0]
    assert json.loads(resumed.stdout)["trials"]["passed"] == 2
    assert launched.stderr.splitlines()[-1] == "next: runner status play-1"


def test_a_dry_run_prints_the_plan_and_records_nothing(cli: Cli) -> None:
    write_suite(cli, "submit: '4'")

    text = cli("launch", "suite.yaml", "--repeats", "10", "--dry-run")
    plan = json.loads(cli("launch", "suite.yaml", "--repeats", "10", "--dry-run", "--json").stdout)

    assert text.returncode == 0
    assert "20 trials (2 tasks, 1 configuration, 10 repeats)" in text.stdout
    assert plan["trials"]["total"] == 20
    assert [trial["position"] for trial in plan["first_trials"]] == list(range(6))
    assert not (cli.directory / "ledger.db").exists()


def test_a_dry_run_of_what_could_not_start_is_exit_2(cli: Cli) -> None:
    write_suite(cli, "no-such-step: 1")

    done = cli("launch", "suite.yaml", "--dry-run")

    assert done.returncode == 2
    assert "no-such-step" in done.stderr


def test_flags_win_over_the_environment_and_that_over_the_suite(cli: Cli) -> None:
    write_suite(cli, "submit: '4'", repeats=2)

    def planned(*flags: str, **environment: str) -> int:
        done = cli("launch", "suite.yaml", "--dry-run", "--json", *flags, **environment)
        total: int = json.loads(done.stdout)["repeats"]
        return total

    assert planned() == 2
    assert planned(RUNNER_REPEATS="3") == 3
    assert planned("--repeats", "4", RUNNER_REPEATS="3") == 4


def test_the_ledger_of_the_environment_is_used_and_needs_no_flag_to_go_on(cli: Cli) -> None:
    write_suite(cli, "submit: '4'")

    by_variable = cli("launch", "suite.yaml", RUNNER_LEDGER="mine.db")
    by_flag = cli("launch", "suite.yaml", "--ledger", "mine.db")

    assert by_variable.stderr.splitlines()[-1] == "next: runner status play-1"
    assert by_flag.stderr.splitlines()[-1] == "next: runner status play-2 --ledger mine.db"


@pytest.fixture
def service(cli: Cli) -> Iterator[MessagesServer]:
    with serve({"turns": [{"text": "4"}]}) as server:
        cli.write("paid.yaml", _PAID.replace("URL", server.url))
        yield server


def test_a_budget_that_is_reached_is_exit_5_and_a_larger_one_goes_on(
    cli: Cli, service: MessagesServer
) -> None:
    key = "sk-ant-secret-for-tests"

    stopped = cli("launch", "paid.yaml", "--budget-usd", "0.000001", ANTHROPIC_API_KEY=key)
    resumed = cli("resume", "--budget-usd", "1", "--json", ANTHROPIC_API_KEY=key)

    assert stopped.returncode == 5
    assert stopped.stderr.splitlines()[-1] == "next: runner resume paid-1"
    assert "stopped: the next call can cost up to $" in stopped.stderr
    assert resumed.returncode == 0
    assert json.loads(resumed.stdout)["spend_usd"] > 0
    assert len(service.requests) == 1
    everything = stopped.stdout + stopped.stderr + resumed.stdout + resumed.stderr
    assert key not in everything
    assert key.encode() not in _bytes_of(cli.directory)


def _bytes_of(directory: Path) -> bytes:
    return b"".join(path.read_bytes() for path in directory.glob("ledger.db*") if path.is_file())


_PAID = """\
suite: paid
tasks:
  - {id: four, instruction: "2+2?", expect: 4}
defaults:
  graders: [{kind: answer, match: number}]
  sandbox: {isolation: none}
configs:
  model: {agent: claude, model: claude-haiku-4-5, base_url: "URL", tools: []}
"""
