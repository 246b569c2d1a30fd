"""Suite files: from text to frozen values, every mistake with file and line."""

from runner.suites.changes import FieldChange, NamedChanges, SuiteChanges, compare_suites
from runner.suites.documents import read_document
from runner.suites.files.blobs import DiskBlobs
from runner.suites.loading import LoadedSuite, load_suite
from runner.suites.selection import select
from runner.suites.stored_suite import suite_document, suite_from_document
from runner.suites.text.presence import is_there
from runner.suites.text.spelling import nearest_name, spelling_hint

__all__ = [
    "DiskBlobs",
    "FieldChange",
    "LoadedSuite",
    "NamedChanges",
    "SuiteChanges",
    "compare_suites",
    "is_there",
    "load_suite",
    "nearest_name",
    "read_document",
    "select",
    "spelling_hint",
    "suite_document",
    "suite_from_document",
]
