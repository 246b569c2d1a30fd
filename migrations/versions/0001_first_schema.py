"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "blobs",
        sa.Column(
            "digest", sa.Text(), nullable=False, comment="SHA-256 of the uncompressed content"
        ),
        sa.Column("size", sa.BigInteger(), nullable=False, comment="uncompressed bytes"),
        sa.Column("codec", sa.Text(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("codec IN ('raw', 'zlib')", name=op.f("ck_blobs_codec")),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_blobs")),
    )
    op.create_table(
        "configs",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("agent", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=True),
        sa.Column("spec", sa.Text(), nullable=False, comment="canonical JSON"),
        sa.Column("digest", sa.Text(), nullable=False, comment="of the spec"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_configs")),
        sa.UniqueConstraint("name", "digest", name=op.f("uq_configs_name_digest")),
    )
    op.create_table(
        "suites",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column(
            "digest", sa.Text(), nullable=False, comment="of the tasks, whatever their order"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_suites")),
        sa.UniqueConstraint("name", "digest", name=op.f("uq_suites_name_digest")),
    )
    op.create_table(
        "tasks",
        sa.Column("id", ID, nullable=False),
        sa.Column(
            "name", sa.Text(), nullable=False, comment="the task's id as the suite file writes it"
        ),
        sa.Column(
            "digest", sa.Text(), nullable=False, comment="of instruction, files, graders, limits, …"
        ),
        sa.Column("tags", sa.Text(), nullable=False, comment="JSON list, as last launched"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tasks")),
        sa.UniqueConstraint("name", "digest", name=op.f("uq_tasks_name_digest")),
    )
    op.create_table(
        "workers",
        sa.Column("id", ID, nullable=False),
        sa.Column("host", sa.Text(), nullable=False),
        sa.Column("pid", sa.Integer(), nullable=False),
        sa.Column("boot_id", sa.Text(), nullable=False),
        sa.Column("started_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_workers")),
    )
    op.create_table(
        "sweeps",
        sa.Column("id", ID, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("suite_id", ID, nullable=False),
        sa.Column(
            "document_digest",
            sa.Text(),
            nullable=False,
            comment="blob: the suite as launched, JSON",
        ),
        sa.Column("suite_path", sa.Text(), nullable=False, comment="the file it was launched from"),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "stop_reason", sa.Text(), nullable=True, comment="why it was stopped, for people"
        ),
        sa.Column("repeats", sa.Integer(), nullable=False),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("max_in_flight", sa.Integer(), nullable=False),
        sa.Column("infra_attempts", sa.Integer(), nullable=False),
        sa.Column("budget_nusd", sa.BigInteger(), nullable=True, comment="NULL: no cap"),
        sa.Column("spent_nusd", sa.BigInteger(), nullable=False, comment="known cost of all calls"),
        sa.Column(
            "reserved_nusd",
            sa.BigInteger(),
            nullable=False,
            comment="the most that calls in flight cost",
        ),
        sa.Column(
            "exposed_nusd",
            sa.BigInteger(),
            nullable=False,
            comment="the most that unknown calls cost",
        ),
        sa.Column("priced_calls", sa.BigInteger(), nullable=False, comment="answers of known cost"),
        sa.Column(
            "unpriced_calls",
            sa.BigInteger(),
            nullable=False,
            comment="settled calls of unknown cost",
        ),
        sa.Column(
            "environment", sa.Text(), nullable=False, comment="JSON: versions, host, kernel, …"
        ),
        sa.Column("created_us", sa.BigInteger(), nullable=False),
        sa.Column("settled_us", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "state IN ('open', 'complete', 'stopped')", name=op.f("ck_sweeps_state")
        ),
        sa.ForeignKeyConstraint(["suite_id"], ["suites.id"], name=op.f("fk_sweeps_suite_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sweeps")),
        sa.UniqueConstraint("name", name=op.f("uq_sweeps_name")),
    )
    op.create_table(
        "trials",
        sa.Column("id", ID, nullable=False),
        sa.Column("sweep_id", ID, nullable=False),
        sa.Column("config_id", ID, nullable=False),
        sa.Column("task_id", ID, nullable=False),
        sa.Column("repeat", sa.Integer(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False, comment="place in the plan, from 0"),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("score", sa.Float(), nullable=True, comment="within [0, 1]"),
        sa.Column("passed", sa.Boolean(), nullable=True),
        sa.Column("timed_out", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("grade_round", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("fence", sa.BigInteger(), server_default=sa.text("0"), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "infra_tries",
            sa.Integer(),
            server_default=sa.text("0"),
            nullable=False,
            comment="infrastructure errors since the trial was last opened",
        ),
        sa.Column(
            "not_before_us",
            sa.BigInteger(),
            server_default=sa.text("0"),
            nullable=False,
            comment="a retry waits until then",
        ),
        sa.Column(
            "cost_nusd",
            sa.BigInteger(),
            server_default=sa.text("0"),
            nullable=True,
            comment="known part over all attempts; NULL: nothing known",
        ),
        sa.Column("unpriced_calls", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column(
            "input_tokens",
            sa.BigInteger(),
            server_default=sa.text("0"),
            nullable=True,
            comment="uncached, over all attempts",
        ),
        sa.Column("output_tokens", sa.BigInteger(), server_default=sa.text("0"), nullable=True),
        sa.Column(
            "seconds",
            sa.Float(),
            nullable=True,
            comment="the agent's working time in the attempt that counts",
        ),
        sa.Column("settled_us", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "(state = 'settled') = (outcome IS NOT NULL)",
            name=op.f("ck_trials_settled_has_outcome"),
        ),
        sa.CheckConstraint(
            "outcome IN ('pass', 'fail') OR (passed IS NULL AND score IS NULL)",
            name=op.f("ck_trials_only_graded_has_score"),
        ),
        sa.CheckConstraint(
            "outcome IN ('pass', 'fail', 'infra_error')", name=op.f("ck_trials_outcome")
        ),
        sa.CheckConstraint(
            "state IN ('pending', 'running', 'settled')", name=op.f("ck_trials_state")
        ),
        sa.CheckConstraint("score >= 0 AND score <= 1", name=op.f("ck_trials_score")),
        sa.ForeignKeyConstraint(["config_id"], ["configs.id"], name=op.f("fk_trials_config_id")),
        sa.ForeignKeyConstraint(["sweep_id"], ["sweeps.id"], name=op.f("fk_trials_sweep_id")),
        sa.ForeignKeyConstraint(["task_id"], ["tasks.id"], name=op.f("fk_trials_task_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_trials")),
        sa.UniqueConstraint(
            "sweep_id",
            "config_id",
            "task_id",
            "repeat",
            name=op.f("uq_trials_sweep_id_config_id_task_id_repeat"),
        ),
    )
    op.create_index(
        "ix_trials_pending",
        "trials",
        ["sweep_id", "position"],
        unique=False,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_index("ix_trials_sweep", "trials", ["sweep_id", "state", "outcome"], unique=False)
    op.create_table(
        "attempts",
        sa.Column("id", ID, nullable=False),
        sa.Column("trial_id", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, comment="from 1 within its trial"),
        sa.Column("fence", sa.BigInteger(), nullable=False),
        sa.Column("worker_id", ID, nullable=False),
        sa.Column("ending", sa.Text(), nullable=True, comment="NULL while it runs"),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True, comment="for people"),
        sa.Column(
            "lease_until_us",
            sa.BigInteger(),
            nullable=True,
            comment="by the database's clock; NULL on SQLite",
        ),
        sa.Column("started_us", sa.BigInteger(), nullable=False),
        sa.Column("ended_us", sa.BigInteger(), nullable=True),
        sa.Column("setup_seconds", sa.Float(), nullable=True),
        sa.Column("agent_seconds", sa.Float(), nullable=True, comment="without waiting"),
        sa.Column("waiting_seconds", sa.Float(), nullable=True, comment="on a model's service"),
        sa.Column("grading_seconds", sa.Float(), nullable=True),
        sa.Column("isolation", sa.Text(), nullable=True, comment="the sandbox back end, or none"),
        sa.Column(
            "flags",
            sa.Text(),
            server_default=sa.text("''"),
            nullable=False,
            comment="space-separated",
        ),
        sa.Column(
            "answer_digest",
            sa.Text(),
            nullable=True,
            comment="blob: the answer that was graded, UTF-8",
        ),
        sa.Column(
            "files_digest",
            sa.Text(),
            nullable=True,
            comment="blob: JSON list of the files that were graded",
        ),
        sa.CheckConstraint(
            "ending IN ('finished', 'infra_error', 'interrupted', 'superseded')",
            name=op.f("ck_attempts_ending"),
        ),
        sa.ForeignKeyConstraint(["trial_id"], ["trials.id"], name=op.f("fk_attempts_trial_id")),
        sa.ForeignKeyConstraint(["worker_id"], ["workers.id"], name=op.f("fk_attempts_worker_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempts")),
        sa.UniqueConstraint("trial_id", "number", name=op.f("uq_attempts_trial_id_number")),
    )
    op.create_index(
        "ix_attempts_live",
        "attempts",
        ["worker_id"],
        unique=False,
        sqlite_where=sa.text("ending IS NULL"),
        postgresql_where=sa.text("ending IS NULL"),
    )
    op.create_table(
        "grades",
        sa.Column("id", ID, nullable=False),
        sa.Column("attempt_id", ID, nullable=False),
        sa.Column("grader", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False, comment="0: the first grading"),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False, comment="within [0, 1]"),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.CheckConstraint("score >= 0 AND score <= 1", name=op.f("ck_grades_score")),
        sa.ForeignKeyConstraint(["attempt_id"], ["attempts.id"], name=op.f("fk_grades_attempt_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_grades")),
        sa.UniqueConstraint(
            "attempt_id", "grader", "round", name=op.f("uq_grades_attempt_id_grader_round")
        ),
    )
    op.create_table(
        "model_calls",
        sa.Column("id", ID, nullable=False),
        sa.Column("attempt_id", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, comment="from 1 within its attempt"),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False, comment="scheme and host"),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column(
            "parameters_digest",
            sa.Text(),
            nullable=False,
            comment="blob: the body without messages",
        ),
        sa.Column(
            "messages_kept",
            sa.Integer(),
            nullable=False,
            comment="how many messages of the call before stand at the start of this one",
        ),
        sa.Column(
            "messages",
            sa.Text(),
            nullable=False,
            comment="JSON list: digests of the further messages, each a blob as it was sent",
        ),
        sa.Column(
            "response_digest",
            sa.Text(),
            nullable=True,
            comment="blob: the answer's message, or what came of it",
        ),
        sa.Column("stop_reason", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True, comment="why it gave no answer"),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("http_status", sa.Integer(), nullable=True),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("input_tokens", sa.BigInteger(), nullable=True, comment="uncached"),
        sa.Column("output_tokens", sa.BigInteger(), nullable=True, comment="thinking included"),
        sa.Column("cache_read_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cache_write_5m_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cache_write_1h_tokens", sa.BigInteger(), nullable=True),
        sa.Column("thinking_tokens", sa.BigInteger(), nullable=True),
        sa.Column("cost_nusd", sa.BigInteger(), nullable=True, comment="NULL: unknown"),
        sa.Column(
            "reserved_nusd",
            sa.BigInteger(),
            nullable=True,
            comment="the most it can cost; NULL: no known price",
        ),
        sa.Column("price_source", sa.Text(), nullable=True),
        sa.Column("sent_us", sa.BigInteger(), nullable=False),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("first_byte_seconds", sa.Float(), nullable=True),
        sa.CheckConstraint("role IN ('agent', 'judge', 'user')", name=op.f("ck_model_calls_role")),
        sa.CheckConstraint(
            "state IN ('sent', 'completed', 'failed', 'unknown', 'replayed')",
            name=op.f("ck_model_calls_state"),
        ),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], name=op.f("fk_model_calls_attempt_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_model_calls")),
        sa.UniqueConstraint("attempt_id", "number", name=op.f("uq_model_calls_attempt_id_number")),
    )
    op.create_table(
        "tool_calls",
        sa.Column("id", ID, nullable=False),
        sa.Column("attempt_id", ID, nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, comment="from 1 within its attempt"),
        sa.Column("model_call_id", ID, nullable=True, comment="the call that asked for it"),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("input_digest", sa.Text(), nullable=False, comment="blob: the arguments, JSON"),
        sa.Column(
            "exit", sa.Integer(), nullable=True, comment="exit status; NULL where there was none"
        ),
        sa.Column("seconds", sa.Float(), nullable=True),
        sa.Column("output_digest", sa.Text(), nullable=True, comment="blob: all that was captured"),
        sa.Column("cut_bytes", sa.BigInteger(), nullable=True, comment="how much more there was"),
        sa.Column("error", sa.Text(), nullable=True),
        sa.CheckConstraint(
            "state IN ('started', 'completed', 'unknown', 'replayed')",
            name=op.f("ck_tool_calls_state"),
        ),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["attempts.id"], name=op.f("fk_tool_calls_attempt_id")
        ),
        sa.ForeignKeyConstraint(
            ["model_call_id"], ["model_calls.id"], name=op.f("fk_tool_calls_model_call_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tool_calls")),
        sa.UniqueConstraint("attempt_id", "number", name=op.f("uq_tool_calls_attempt_id_number")),
    )
