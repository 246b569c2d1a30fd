"""Where a ledger may be, and how that is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from runner.errors import LedgerError, UsageError
from runner.ledger import open_ledger, parse_address, read_ledger
from runner.ledger.store.filesystem import filesystem_of, refuse_network_filesystem
from runner.testing.manual_clock import ManualClock

MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
40 22 0:35 / /home/team rw,relatime shared:20 - nfs4 server:/export/team rw
41 40 0:36 / /home/team/scratch\\040disk rw,relatime - ext4 /dev/vdb rw
42 22 0:37 / /mnt/laptop rw,relatime - fuse.sshfs me@laptop: rw
"""


@pytest.mark.parametrize(
    ("written", "shown", "is_file"),
    [
        ("ledger.db", "ledger.db", True),
        ("/data/my ledger.db", "/data/my ledger.db", True),
        ("sqlite:///relative.db", "relative.db", True),
        ("sqlite:////data/absolute.db", "/data/absolute.db", True),
        ("postgresql://me@db/ledger", "postgresql://me@db/ledger", False),
        ("postgres://me@db/ledger", "postgresql://me@db/ledger", False),
        ("postgresql+psycopg://me:secret@db/ledger", "postgresql://me:***@db/ledger", False),
    ],
)
def test_an_address_is_read_and_shown_without_its_password(
    written: str, shown: str, *, is_file: bool
) -> None:
    address = parse_address(written)

    assert str(address) == shown
    assert (address.file is not None) == is_file


@pytest.mark.parametrize(
    "written",
    [
        "",
        "  ",
        ":memory:",
        "sqlite:///:memory:",
        "mysql://me@db/ledger",
        "http://example.test",
        "sqlite://",
        "://",
        "x://y",
    ],
)
def test_what_is_no_ledgers_address_is_refused_with_what_would_be(written: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse_address(written)

    assert "postgresql://user@host/database" in (refused.value.hint or "")


@pytest.mark.parametrize(
    ("directory", "kind"),
    [
        ("/", "ext4"),
        ("/home/other", "ext4"),
        ("/home/team", "nfs4"),
        ("/home/team/deep/down", "nfs4"),
        ("/home/teammate", "ext4"),
        ("/home/team/scratch disk/x", "ext4"),
        ("/mnt/laptop", "fuse.sshfs"),
    ],
)
def test_the_file_system_of_a_directory_is_that_of_the_innermost_mount(
    tmp_path: Path, directory: str, kind: str
) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)

    assert filesystem_of(Path(directory), mounts) == kind


def test_a_network_file_system_is_refused_with_two_ways_out(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)

    with pytest.raises(LedgerError, match="nfs4") as refused:
        refuse_network_filesystem(Path("/home/team"), mounts)

    assert "--ledger" in (refused.value.hint or "")
    assert "postgresql://" in (refused.value.hint or "")
    refuse_network_filesystem(Path("/home/other"), mounts)


def test_where_nobody_tells_the_file_system_nothing_is_refused(tmp_path: Path) -> None:
    assert filesystem_of(tmp_path, tmp_path / "no-such-file") is None


async def test_a_directory_is_no_ledger_and_is_said_to_be_one(tmp_path: Path) -> None:
    address = parse_address(str(tmp_path))

    with pytest.raises(LedgerError, match="is a directory"), read_ledger(address):
        pass
    with pytest.raises(LedgerError, match="is a directory"):
        async with open_ledger(address, clock=ManualClock()):
            pass
