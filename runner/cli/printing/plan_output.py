"""Printing what a launch would do, without doing it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from runner.cli.exit_codes import ExitCode
from runner.cli.printing.output import write_json, write_text
from runner.cli.settings import Settings, read_settings
from runner.domain import Config, Isolation, Json, PlannedTrial, Suite, expand
from runner.engine.launch import PlannedLaunch
from runner.engine.local_models import is_served_here
from runner.engine.workshop import Workshop
from runner.models.pricing import find_prices
from runner.printable import one_line
from runner.reports import dollars, usd
from runner.sandbox import choose_backend

#: How much of the order is shown.
FIRST_TRIALS = 6


def print_planned(planned: PlannedLaunch, *, now_us: int, as_json: bool) -> ExitCode:
    """Print the plan, then make sure that nothing would keep it from starting.

    Raises:
        RunnerError: If an agent, a grader or a sandbox cannot be made.
    """
    sandboxes = sorted({_sandbox(planned, task) for task in range(len(planned.suite.tasks))})
    prices = {config.name: _price(config, now_us=now_us) for config in planned.suite.configs}
    if as_json:
        write_json(_plan_json(planned, sandboxes, prices))
    else:
        write_text("\n".join(_plan_lines(planned, sandboxes, prices)))
    _check(planned, read_settings())
    return ExitCode.DONE


def size_text(planned: PlannedLaunch) -> str:
    """Say how many trials there are and what they are made of."""
    suite = planned.suite
    parts = (
        _counted(len(suite.tasks), "task"),
        _counted(len(suite.configs), "configuration"),
        _counted(suite.repeats, "repeat"),
    )
    return f"{_counted(planned.trials, 'trial')} ({', '.join(parts)})"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _check(planned: PlannedLaunch, settings: Settings) -> None:
    """Make everything once; local models are not started, so any address stands for theirs."""
    local = [config.model for config in planned.suite.configs if is_served_here(config)]
    Workshop(
        planned.suite,
        files=planned.files,
        api_key=settings.api_key,
        local_urls={model: "http://127.0.0.1" for model in local if model is not None},
    ).check()


def _sandbox(planned: PlannedLaunch, task: int) -> str:
    spec = planned.suite.tasks[task].sandbox
    return "none" if spec.isolation is Isolation.NONE else choose_backend(spec).name


def _price(config: Config, *, now_us: int) -> str:
    if config.model is None:
        return "no model"
    if is_served_here(config):
        return "served on this machine"
    prices = find_prices(config.model, now_us=now_us)
    return "UNKNOWN" if prices is None else "known"


def _order(suite: Suite) -> list[PlannedTrial]:
    plan = expand(
        tasks=[task.id for task in suite.tasks],
        configs=[config.name for config in suite.configs],
        repeats=suite.repeats,
        seed=suite.seed,
    )
    return list(islice(plan, FIRST_TRIALS))


def _plan_lines(
    planned: PlannedLaunch, sandboxes: list[str], prices: dict[str, str]
) -> Iterator[str]:
    suite = planned.suite
    yield f"suite    {one_line(suite.name)} from {one_line(str(planned.path))}"
    yield f"trials   {size_text(planned)}"
    budget = "none" if suite.budget_nusd is None else usd(suite.budget_nusd)
    yield (
        f"limits   {suite.max_in_flight} trials at once, {suite.infra_attempts} attempts on "
        f"infrastructure errors, budget {budget}"
    )
    yield f"sandbox  {', '.join(sandboxes)}"
    for config in suite.configs:
        model = "" if config.model is None else f", {one_line(config.model)}"
        yield (
            f"config   {one_line(config.name)}: {one_line(config.agent)}{model}; "
            f"price: {prices[config.name]}"
        )
    yield "order    config/repeat/task"
    for trial in _order(suite):
        yield f"  {trial.position + 1:>5}  {_name(trial)}"
    if planned.trials > FIRST_TRIALS:
        yield f"  … {planned.trials - FIRST_TRIALS} more"


def _name(trial: PlannedTrial) -> str:
    return one_line(f"{trial.config}/{trial.repeat}/{trial.task}")


def _plan_json(
    planned: PlannedLaunch, sandboxes: list[str], prices: dict[str, str]
) -> dict[str, Json]:
    suite = planned.suite
    return {
        "dry_run": True,
        "suite": suite.name,
        "suite_path": str(planned.path),
        "trials": {"total": planned.trials},
        "tasks": [task.id for task in suite.tasks],
        "configs": [
            {"name": c.name, "agent": c.agent, "model": c.model, "price": prices[c.name]}
            for c in suite.configs
        ],
        "repeats": suite.repeats,
        "seed": suite.seed,
        "max_in_flight": suite.max_in_flight,
        "infra_attempts": suite.infra_attempts,
        "budget_usd": dollars(suite.budget_nusd),
        "sandboxes": list(sandboxes),
        "first_trials": [
            {"position": t.position, "config": t.config, "repeat": t.repeat, "task": t.task}
            for t in _order(suite)
        ],
    }
