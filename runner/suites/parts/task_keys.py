"""The keys of a task, and what ``defaults`` may hold."""

from __future__ import annotations

TASK_KEYS = (
    "id",
    "instruction",
    "expect",
    "graders",
    "pass_at",
    "files",
    "tests",
    "solution",
    "limits",
    "sandbox",
    "on_oom",
    "tags",
)
DEFAULT_KEYS = ("graders", "pass_at", "files", "tests", "limits", "sandbox", "on_oom", "tags")
