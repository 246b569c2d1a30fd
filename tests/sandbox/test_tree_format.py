"""Files survive the way in and out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runner.domain import FileContent
from runner.sandbox.inside.removal import remove_tree
from runner.sandbox.outside.tree_format import packed, unpacked

FILES = st.lists(
    st.builds(
        FileContent,
        path=st.text(
            st.characters(exclude_characters="/\0.", exclude_categories=["Cs"]), min_size=1
        ),
        data=st.binary(),
        executable=st.booleans(),
    ),
    unique_by=lambda file: file.path,
)


@given(FILES)
def test_packed_files_unpack_to_themselves(files: list[FileContent]) -> None:
    taken = unpacked(b"".join(packed(files, below=".")))

    expected = sorted((f"./{file.path}", file.data, file.executable) for file in files)
    assert [(file.path, file.data, file.executable) for file in taken.files] == expected


def test_packed_files_come_in_bounded_batches() -> None:
    batches = list(packed([FileContent(path="big", data=bytes(40 << 20))], below="."))

    assert len(batches) == 5
    assert max(map(len, batches)) < 9 << 20


@given(st.data())
def test_unpacking_a_cut_stream_is_an_error(data: st.DataObject) -> None:
    stream = b"".join(packed([FileContent(path="name", data=b"content")], below="."))
    cut = data.draw(st.integers(min_value=1, max_value=len(stream) - 1))

    with pytest.raises(ValueError, match=r"cut off|not found|unpack"):
        unpacked(stream[:cut])


@pytest.mark.parametrize("path", [b"/etc/passwd", b"../x", b"a/../../x", b".", b"a\0b"])
def test_unpacking_leaves_out_a_path_that_leads_out(path: bytes) -> None:
    taken = unpacked(b"- %d 1\n" % len(path) + path + b"x")

    assert taken.files == ()
    assert taken.left_out[0][1] == "its path leads out of the directory"


def test_remove_tree_takes_any_depth_and_follows_no_link(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").touch()
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "link").symlink_to(outside)
    descriptor = os.open(tree, os.O_RDONLY)
    for _ in range(2500):
        os.mkdir("d", dir_fd=descriptor)
        below = os.open("d", os.O_RDONLY, dir_fd=descriptor)
        os.close(descriptor)
        descriptor = below
    os.close(descriptor)

    assert remove_tree(str(tree))
    assert not tree.exists()
    assert (outside / "kept").exists()
