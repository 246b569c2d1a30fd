"""The Messages API, through the anthropic SDK; importing this package loads the SDK."""

from runner.models.messages.answer import RAW_INPUT, Answer, ToolCall, parse_input
from runner.models.messages.client import MessagesClient
from runner.models.messages.endpoint import DEFAULT_BASE_URL, Endpoint, parse_endpoint
from runner.models.messages.faults import ContextWindowError
from runner.models.messages.key import usable_key
from runner.models.messages.patience import Patience
from runner.models.messages.question import Question

__all__ = [
    "DEFAULT_BASE_URL",
    "RAW_INPUT",
    "Answer",
    "ContextWindowError",
    "Endpoint",
    "MessagesClient",
    "Patience",
    "Question",
    "ToolCall",
    "parse_endpoint",
    "parse_input",
    "usable_key",
]
