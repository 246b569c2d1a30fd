"""The agent that is a Claude model with a shell, an editor and a way to hand in an answer."""

from runner.agents.claude.make import make_claude_agent
from runner.agents.claude.settings import CLAUDE, LOCAL, ClaudeSettings

__all__ = ["CLAUDE", "LOCAL", "ClaudeSettings", "make_claude_agent"]
