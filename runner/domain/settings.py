"""How kinds of agents and graders tell the suite loader what may stand in a suite file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, TypeAlias

from pydantic import BaseModel


@dataclass(frozen=True, slots=True)
class FileReference:
    """Marks a settings field that names a file, relative to the file that mentions it.

    The loader reads the file, puts it into the configuration's (or the task's test) files under
    its relative path, and so into the digest.
    """


@dataclass(frozen=True, slots=True)
class OutsideIdentity:
    """Marks a settings field that says how a thing is reached and not what it is.

    An address or a timeout of the runner's own is in no digest: a server that came back on another
    port is no reason to run everything again.
    """


SuiteFile: TypeAlias = Annotated[str, FileReference()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of agent or grader.

    Attributes:
        settings: Validates the keys of this kind; forbids what it does not know. Where a suite
            says ``agent: kind:rest``, the rest arrives under the key ``target``.
        runs_commands: Whether it runs a command in a sandbox with these settings; if any does,
            ``isolation: none`` is refused.
        needs_model: Whether a configuration of this kind must name a model.
    """

    settings: type[BaseModel]
    runs_commands: Callable[[BaseModel], bool]
    needs_model: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """All kinds that a suite file may name."""

    agents: Mapping[str, Kind]
    graders: Mapping[str, Kind]
