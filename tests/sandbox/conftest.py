"""What the sandbox tests share."""

from __future__ import annotations

import pytest

pytest.register_assert_rewrite("runner.testing.sandbox_contract")
