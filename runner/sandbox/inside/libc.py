"""The few calls that Python's own modules do not offer.

``ctypes`` would add a quarter to a sandbox's start, its C part adds next to nothing.
"""

from __future__ import annotations

import os

_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_KEYCTL = {"x86_64": 250, "aarch64": 219}
_KEYCTL_JOIN_SESSION_KEYRING = 1


def adopt_orphans() -> None:
    """Become the parent of every orphaned descendant, as process 1 is by itself."""
    if _call("prctl", _PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(0, "this kernel has no child subreapers")


def hide_from_tracers() -> None:
    """Keep processes of the same user from tracing this one and from opening its descriptors."""
    _call("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)


def make_dumpable() -> None:
    """Give a child back what ``hide_from_tracers`` took."""
    _call("prctl", _PR_SET_DUMPABLE, 1, 0, 0, 0)


def leave_keyring() -> None:
    """Join an empty session keyring: the runner's may hold keys, and namespaces do not cut it off.

    Where a kernel or a container refuses keyrings altogether there is nothing to leave.
    """
    number = _KEYCTL.get(os.uname().machine)
    if number is not None:
        _call("syscall", number, _KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0)


def _call(name: str, *arguments: int) -> int:
    try:
        import _ctypes  # noqa: PLC0415 - a Python may be built without it

        library = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]  # None is the program itself
        result: int = _ctypes.call_function(_ctypes.dlsym(library, name), arguments)
    except (ImportError, AttributeError):
        return _call_by_ctypes(name, *arguments)
    return result


def _call_by_ctypes(name: str, *arguments: int) -> int:
    import ctypes  # noqa: PLC0415 - see the module's docstring

    longs = [ctypes.c_ulong(argument) for argument in arguments]
    result: int = getattr(ctypes.CDLL(None), name)(*longs)
    return result
