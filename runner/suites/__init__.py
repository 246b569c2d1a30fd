"""Suite files: from text to frozen values, every mistake with file and line."""

from runner.suites.documents import read_document
from runner.suites.loading import LoadedSuite, load_suite
from runner.suites.spelling import nearest_name, spelling_hint

__all__ = ["LoadedSuite", "load_suite", "nearest_name", "read_document", "spelling_hint"]
