"""Every kind of agent and grader there is, for the suite loader."""

from __future__ import annotations

from graders import GRADERS
from runner.agents import AGENTS
from runner.domain import Vocabulary

VOCABULARY = Vocabulary(agents=AGENTS, graders=GRADERS)
