"""The words of the field as frozen values: pure, and known to every other room."""

from runner.domain.attempt import AttemptReport, Ending, PhaseSeconds
from runner.domain.clock import Clock
from runner.domain.files import (
    BlobSource,
    FileContent,
    FileEntry,
    FileTree,
    contents_of,
    tree_of,
)
from runner.domain.journal import (
    CallFate,
    CallRole,
    Journal,
    ModelFailure,
    ModelRequest,
    ModelResult,
    ToolRequest,
    ToolResult,
)
from runner.domain.json import (
    Json,
    JsonObject,
    canonical_json,
    compact_json,
    digest_bytes,
    digest_json,
)
from runner.domain.outcome import Outcome, Reason
from runner.domain.plan import PlannedTrial, expand
from runner.domain.settings import FileReference, Kind, OutsideIdentity, SuiteFile, Vocabulary
from runner.domain.suite import (
    Config,
    GraderSpec,
    Isolation,
    Limits,
    OnOom,
    SandboxSpec,
    Suite,
    Task,
)
from runner.domain.usage import NUSD_PER_USD, Price, Usage, cost_nusd
from runner.domain.work import AgentEnd, Verdict, WorkProduct

__all__ = [
    "NUSD_PER_USD",
    "AgentEnd",
    "AttemptReport",
    "BlobSource",
    "CallFate",
    "CallRole",
    "Clock",
    "Config",
    "Ending",
    "FileContent",
    "FileEntry",
    "FileReference",
    "FileTree",
    "GraderSpec",
    "Isolation",
    "Journal",
    "Json",
    "JsonObject",
    "Kind",
    "Limits",
    "ModelFailure",
    "ModelRequest",
    "ModelResult",
    "OnOom",
    "Outcome",
    "OutsideIdentity",
    "PhaseSeconds",
    "PlannedTrial",
    "Price",
    "Reason",
    "SandboxSpec",
    "Suite",
    "SuiteFile",
    "Task",
    "ToolRequest",
    "ToolResult",
    "Usage",
    "Verdict",
    "Vocabulary",
    "WorkProduct",
    "canonical_json",
    "compact_json",
    "contents_of",
    "cost_nusd",
    "digest_bytes",
    "digest_json",
    "expand",
    "tree_of",
]
