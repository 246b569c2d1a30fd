"""Agents: what acts in a trial."""

from runner.agents.protocol import Agent, Assignment, Submission

__all__ = ["Agent", "Assignment", "Submission"]
