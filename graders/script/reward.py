"""What a script's ending and its reward file say together."""

from __future__ import annotations

import re

from runner.domain import Reason
from runner.errors import GraderError

#: A reward file holds no more than this.
MOST_REWARD_BYTES = 64


def parse_reward(data: bytes) -> float:
    """Read a reward file's content: one decimal number within [0, 1], and nothing else.

    Raises:
        GraderError: ``bad_reward`` for anything else.
    """
    if len(data) > MOST_REWARD_BYTES or not _NUMBER.fullmatch(data.strip()):
        raise bad_reward(f"the reward file holds {data[:MOST_REWARD_BYTES]!r}, which is no number")
    reward = float(data)
    if not 0.0 <= reward <= 1.0:
        raise bad_reward(f"the reward {data.strip().decode()} is outside [0, 1]")
    return reward


def score_of(exit_status: int, reward: float | None, *, required: bool) -> float:
    """Give the score that an exit status and a reward mean.

    Exit 0 passes and exit 1 fails; a reward, where there is one, is the score. Any other exit
    status is a crash.

    Raises:
        GraderError: ``bad_reward`` if the two contradict each other; ``grader_error`` for a crash
            and for a missing reward where one is required.
    """
    if exit_status != 0 and reward:
        raise bad_reward(f"the script wrote the reward {reward:g} and ended with {exit_status}")
    if exit_status not in {0, 1}:
        raise GraderError(
            f"the grading script ended with exit status {exit_status}",
            reason=Reason.GRADER_ERROR,
            hint="Let it exit with 0 or 1, or write a reward and exit with 0.",
        )
    if reward is not None:
        return reward
    if required:
        raise GraderError(
            f"the grading script wrote no reward and ended with exit status {exit_status}",
            reason=Reason.GRADER_ERROR,
            hint="Let it write a number to the file that RUNNER_REWARD names.",
        )
    return 1.0 - exit_status


def bad_reward(what: str) -> GraderError:
    """Make the error for a reward that cannot be believed."""
    return GraderError(
        what,
        reason=Reason.BAD_REWARD,
        hint="Let the script write one number within [0, 1] to RUNNER_REWARD and exit with 0.",
    )


_NUMBER = re.compile(rb"\+?(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})(?:[eE][-+]?\d{1,3})?")
