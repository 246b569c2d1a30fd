"""Agents: what acts in a trial."""

from runner.agents.protocol import Agent, Assignment, Submission
from runner.agents.registry import AGENTS, AgentServices, make_agent
from runner.agents.turn import Turn

__all__ = [
    "AGENTS",
    "Agent",
    "AgentServices",
    "Assignment",
    "Submission",
    "Turn",
    "make_agent",
]
