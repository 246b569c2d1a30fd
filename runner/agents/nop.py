"""The agent that does nothing: a task that it passes is broken."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from runner.agents.protocol import Assignment
from runner.domain import AgentEnd, Kind, Reason


class NopSettings(BaseModel):
    """It has none."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NopAgent:
    """Submits nothing and changes nothing."""

    async def work(self, assignment: Assignment) -> AgentEnd:  # noqa: ARG002 - as named
        """End at once."""
        return AgentEnd(reason=Reason.COMPLETED)


NOP = Kind(settings=NopSettings, runs_commands=lambda _: False)
