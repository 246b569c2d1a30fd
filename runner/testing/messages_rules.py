"""What a real service refuses in a request's history, and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, JsonValue

Block = dict[str, JsonValue]


class Message(BaseModel):
    """One turn of a request."""

    model_config = ConfigDict(extra="forbid")
    role: str
    content: str | list[Block]

    @property
    def blocks(self) -> list[Block]:
        """Give the content as blocks, also where it was sent as text."""
        if isinstance(self.content, str):
            return [{"type": "text", "text": self.content}]
        return self.content


class MessagesRequest(BaseModel):
    """The part of a request that the server looks at."""

    model_config = ConfigDict(extra="allow")
    model: str
    max_tokens: int
    messages: list[Message]
    stream: bool = False
    thinking: dict[str, JsonValue] | None = None

    @property
    def turn(self) -> int:
        """Count the assistant's messages in the history."""
        return sum(message.role == "assistant" for message in self.messages)

    @property
    def first_text(self) -> str:
        """Give the text of the first user message."""
        if not self.messages:
            return ""
        return "\n".join(str(block.get("text", "")) for block in self.messages[0].blocks)


def complaint(request: MessagesRequest, *, sent: Mapping[str, Sequence[Block]]) -> str | None:
    """Say what is wrong with a request's history, or None.

    Args:
        request: The request.
        sent: For each tool call that this server asked for, the whole content it stood in.
    """
    if not request.messages or request.messages[0].role != "user":
        return "messages: first message must use the user role"
    thinks = request.thinking is None or request.thinking.get("type") != "disabled"
    for index, message in enumerate(request.messages):
        wrong = (
            _emptiness(message)
            or _unanswered(request.messages, index)
            or _touched_thinking(message, sent, thinks=thinks)
        )
        if wrong is not None:
            return f"messages.{index}: {wrong}"
    return None


def _emptiness(message: Message) -> str | None:
    if not message.blocks:
        return "content must not be empty"
    for block in message.blocks:
        if block["type"] == "text" and not str(block.get("text", "")).strip():
            return "text content blocks must be non-empty"
        if block["type"] == "tool_result" and _is_empty_result(block):
            return "content of a tool_result must not be empty or hold empty text"
    return None


def _is_empty_result(block: Block) -> bool:
    content = block.get("content")
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return not texts or any(not str(text).strip() for text in texts)
    return not str(content or "").strip()


def _unanswered(messages: Sequence[Message], index: int) -> str | None:
    """Check that a message's tool calls are answered first thing in the next one, in order."""
    asked = [b.get("id") for b in messages[index].blocks if b["type"] == "tool_use"]
    following = messages[index + 1].blocks if index + 1 < len(messages) else []
    answered = [b.get("tool_use_id") for b in following[: len(asked)]]
    if asked != answered:
        return f"tool_use ids {asked} were answered first thing by {answered}"
    results = [b for b in messages[index].blocks if b["type"] == "tool_result"]
    before = messages[index - 1].blocks if index else []
    if len(results) > sum(b["type"] == "tool_use" for b in before):
        return "tool_result without a tool_use in the message before"
    return None


def _touched_thinking(
    message: Message, sent: Mapping[str, Sequence[Block]], *, thinks: bool
) -> str | None:
    thoughts = [b for b in message.blocks if _is_thinking(b)]
    if thoughts and not thinks:
        return "thinking blocks were sent although thinking is off"
    origins = [sent[str(b["id"])] for b in message.blocks if str(b.get("id")) in sent]
    if not origins or not thinks:
        return None
    if thoughts != [b for b in origins[0] if _is_thinking(b)]:
        return "thinking blocks cannot be modified"
    return None


def _is_thinking(block: Block) -> bool:
    return block["type"] in {"thinking", "redacted_thinking"}
