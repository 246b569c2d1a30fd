"""Put what ships beside the packages into the wheel; everything else stands in pyproject.toml."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

#: Folders of the checkout that an install needs too; `runner.shipped` finds them in both.
SHIPPED = ("migrations", "tasks")


class BuildWithShippedFiles(build_py):
    """Builds the packages, then copies the shipped folders into `runner/_shipped`."""

    def run(self) -> None:
        """Build; an editable install reads the folders where they are."""
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib) / "runner" / "_shipped"
        shutil.rmtree(target, ignore_errors=True)  # what an earlier build left
        for folder in SHIPPED:
            leave_out = shutil.ignore_patterns(".*", "__pycache__", "*.pyc", "*.db", "*.db-*")
            shutil.copytree(folder, target / folder, ignore=leave_out)


setup(cmdclass={"build_py": BuildWithShippedFiles})
