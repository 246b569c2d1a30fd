"""What a suite file may say of a ``claude`` configuration."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, model_validator

from runner.domain import Json, JsonObject, Kind, OutsideIdentity

#: The base URL of a model that runner serves itself.
LOCAL = "local"
#: How often an answer that was cut off is continued, where the agent has tools.
CONTINUATIONS_WITH_TOOLS = 2

ToolName: TypeAlias = Literal["bash", "edit", "submit"]


class ThinkingBudget(BaseModel):
    """Thinking with a budget of tokens."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    budget_tokens: int = Field(ge=1024)


class ClaudeSettings(BaseModel):
    """Settings of the ``claude`` agent.

    Attributes:
        system: The system prompt; none if it is empty.
        max_tokens: The most that one answer may hold, thinking included.
        thinking: None leaves it to the model's own default.
        effort: None leaves it to the model's own default.
        tools: What the agent may use; with none, its text is its answer.
        base_url: Another service, or ``local`` for a model that runner serves itself.
        request_seconds: Most seconds for one request, to the end of its stream.
        silence_seconds: Most seconds of it without a byte from the service; a model that runner
            serves itself may be silent for as long as the request may take.
        command_seconds: Most seconds for one command of the ``bash`` tool.
        continuations: How often an answer that hit ``max_tokens`` is continued before the trial
            ends as truncated; written out by what ``tools`` says.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    system: str = ""
    max_tokens: int = Field(default=16_000, ge=1)
    thinking: Literal["off", "adaptive"] | ThinkingBudget | None = None
    effort: Literal["low", "medium", "high", "xhigh", "max"] | None = None
    tools: tuple[ToolName, ...] = ("bash", "edit", "submit")
    base_url: Annotated[str | None, OutsideIdentity()] = None
    temperature: float | None = Field(default=None, ge=0, le=2)
    top_p: float | None = Field(default=None, ge=0, le=1)
    top_k: int | None = Field(default=None, ge=1)
    request_seconds: Annotated[float, OutsideIdentity()] = Field(default=600.0, gt=0)
    silence_seconds: Annotated[float, OutsideIdentity()] = Field(default=120.0, gt=0)
    command_seconds: float = Field(default=120.0, gt=0)
    continuations: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if len(set(self.tools)) != len(self.tools):
            msg = "a tool is named twice"
            raise ValueError(msg)
        if self.least_max_tokens > self.max_tokens:
            msg = f"thinking.budget_tokens must be below max_tokens ({self.max_tokens})"
            raise ValueError(msg)
        if self.continuations is None:
            written_out = CONTINUATIONS_WITH_TOOLS if self.tools else 0
            object.__setattr__(self, "continuations", written_out)
        return self

    @property
    def least_max_tokens(self) -> int:
        """Give the least ``max_tokens`` that a request with these settings may have."""
        budget = self.thinking.budget_tokens if isinstance(self.thinking, ThinkingBudget) else 0
        return budget + 1

    def parameters(self) -> JsonObject:
        """Give the request's parameters but for the model, the tools and the messages."""
        given: dict[str, Json] = {
            "system": self.system or None,
            "thinking": self._thinking(),
            "output_config": {"effort": self.effort} if self.effort else None,
            "temperature": self.temperature,
            "top_p": self.top_p,
            "top_k": self.top_k,
        }
        return {name: value for name, value in given.items() if value is not None}

    def _thinking(self) -> JsonObject | None:
        match self.thinking:
            case ThinkingBudget(budget_tokens=budget):
                return {"type": "enabled", "budget_tokens": budget}
            case "adaptive":
                return {"type": "adaptive"}
            case "off":
                return {"type": "disabled"}
            case None:
                return None


def _runs_commands(settings: BaseModel) -> bool:
    # The editor runs none, but it has nothing to edit where there is no sandbox.
    return isinstance(settings, ClaudeSettings) and bool({"bash", "edit"} & set(settings.tools))


CLAUDE = Kind(settings=ClaudeSettings, runs_commands=_runs_commands, needs_model=True)
