"""The errors that runner raises on purpose, each with what to do next.

RunnerError
├─ UsageError (exit 2)      the caller can correct it: a suite file, a name, a flag
│  ├─ SuiteFileError        a mistake in a suite file, with file and line
│  └─ NotFoundError         a sweep, trial, configuration or task that is not there
├─ LedgerError (exit 3)     the ledger cannot be reached, read or written
│  ├─ SchemaVersionError    its schema is older or newer than this runner
│  └─ OwnershipLostError    another process owns the trial now; what came late is not counted
├─ InfrastructureError      no fair attempt or no trustworthy verdict: retried, never counted
│  ├─ SandboxError          a sandbox did not start or broke
│  ├─ GraderError           a grader crashed or contradicted itself
│  └─ ProviderError         a model's service failed for good
├─ BreakerError             a dead key or an empty balance: nothing new may start
└─ BudgetReachedError       the next call does not fit the sweep's budget

Only ``runner.cli`` turns these into exit codes.
"""

from __future__ import annotations


class RunnerError(Exception):
    """Anything runner raises on purpose.

    Args:
        message: What happened, with the value that was met.
        hint: One imperative sentence that says what to do next, or None.
    """

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UsageError(RunnerError):
    """The caller asked for something that cannot be; correcting the input helps."""


class SuiteFileError(UsageError):
    """A mistake in a suite file; the message starts with ``file:line:``."""


class NotFoundError(UsageError):
    """A sweep, trial, configuration or task was named that does not exist."""


class LedgerError(RunnerError):
    """The ledger cannot be reached, read or written."""


class SchemaVersionError(LedgerError):
    """The ledger's schema is older or newer than this version of runner."""


class OwnershipLostError(LedgerError):
    """The trial's fence has moved on: another process owns it now."""


class InfrastructureError(RunnerError):
    """No fair attempt or no trustworthy verdict.

    Args:
        message: What happened.
        reason: The machine-readable kind, a value of ``runner.domain.Reason``.
        hint: What to do next, or None.
    """

    def __init__(self, message: str, *, reason: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class SandboxError(InfrastructureError):
    """A sandbox did not start, or broke while in use."""


class GraderError(InfrastructureError):
    """A grader crashed, or its verdict contradicts itself."""


class ProviderError(InfrastructureError):
    """A model's service failed and retrying did not help."""


class BreakerError(RunnerError):
    """A failure that every further call would meet as well: a dead key, no credit, no access.

    Args:
        message: What the service said.
        reason: ``auth``, ``no_credit`` or ``forbidden``.
        hint: What to do next, or None.
    """

    def __init__(self, message: str, *, reason: str, hint: str | None = None) -> None:
        super().__init__(message, hint=hint)
        self.reason = reason


class BudgetReachedError(RunnerError):
    """The next model call could cost more than what is left of the sweep's budget.

    Args:
        message: What is left and what the next call can cost.
        call_nusd: The most the refused call could cost, in nano-dollars.
    """

    def __init__(self, message: str, *, call_nusd: int) -> None:
        super().__init__(message, hint="Resume with a larger --budget-usd.")
        self.call_nusd = call_nusd
