"""The interpreter that runs this process, as it can be used outside of its virtual environment."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python installation by its real path.

    Attributes:
        program: The executable.
        directories: What it needs: programs, standard library and headers.
    """

    program: Path
    directories: tuple[Path, ...]

    @property
    def search_path(self) -> str:
        """Give a PATH that finds it first and the system's programs after."""
        return f"{self.program.parent}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"


@cache
def base_interpreter() -> Interpreter:
    """Find the installation below the running interpreter's virtual environments."""
    # Only this name survives nested virtual environments; the public ones stop at the nearest.
    program = Path(getattr(sys, "_base_executable", None) or sys.executable).resolve()
    prefix = Path(sys.base_prefix).resolve()
    names = ("bin", "lib", "lib64", "include")
    directories = tuple(p for p in (prefix / name for name in names) if p.is_dir())
    return Interpreter(program, directories)
