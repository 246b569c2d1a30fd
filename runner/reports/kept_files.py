"""The files of a work product, as they were kept for grading."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from runner.ledger import LedgerReader


class KeptFile(BaseModel):
    """One file; its bytes are a blob of the ledger."""

    model_config = ConfigDict(frozen=True)

    path: str
    digest: str
    size: int
    executable: bool = False


class KeptFiles(BaseModel):
    """What was taken out of the sandbox, and what was not, with why."""

    model_config = ConfigDict(frozen=True)

    files: tuple[KeptFile, ...]
    left_out: tuple[tuple[str, str], ...] = ()


def read_kept_files(reader: LedgerReader, digest: str | None) -> KeptFiles | None:
    """Read the list behind an attempt's ``files_digest``; None where nothing was kept."""
    return None if digest is None else KeptFiles.model_validate_json(reader.read(digest))
