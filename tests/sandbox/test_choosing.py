"""Which back end a task gets."""

from __future__ import annotations

import pytest

from runner.domain import Isolation, SandboxSpec
from runner.errors import UsageError
from runner.sandbox import choose_backend, describe_backends


@pytest.mark.bubblewrap
@pytest.mark.parametrize("isolation", [Isolation.REQUIRED, Isolation.PREFERRED])
def test_choose_backend_takes_one_that_isolates_where_it_works(isolation: Isolation) -> None:
    backend = choose_backend(SandboxSpec(isolation=isolation))

    assert (backend.name, backend.isolates) == ("bubblewrap", True)


def test_choose_backend_takes_processes_by_name() -> None:
    spec = SandboxSpec(isolation=Isolation.PREFERRED, backend="process")

    assert not choose_backend(spec).isolates


@pytest.mark.parametrize(
    ("spec", "named"),
    [
        (SandboxSpec(backend="process"), "'process' does not isolate"),
        (SandboxSpec(backend="bublewrap"), "no sandbox back end 'bublewrap'"),
        (SandboxSpec(isolation=Isolation.NONE), "no sandbox"),
    ],
)
def test_choose_backend_refuses_a_contradiction_and_says_what_to_do(
    spec: SandboxSpec, named: str
) -> None:
    with pytest.raises(UsageError, match=named) as caught:
        choose_backend(spec)

    assert caught.value.hint


def test_describe_backends_says_for_each_how_it_stands() -> None:
    descriptions = {description.name: description for description in describe_backends()}

    assert set(descriptions) == {"bubblewrap", "process"}
    assert all(description.detail for description in descriptions.values())
    assert descriptions["process"].works
