"""The ledger's tables. Their names and columns are a public interface: people query them.

Times are integer microseconds since 1970 UTC, money integer nano-dollars, states and outcomes text
with named checks (a native enum could never drop a value). Unknown is NULL and never 0.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

#: The Alembic revision that this code reads and writes.
REVISION = "0001"

#: SQLite gives row ids only to INTEGER keys.
ID = BigInteger().with_variant(Integer(), "sqlite")

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _one_of(column: str, *values: str) -> str:
    listed = ", ".join(f"'{value}'" for value in values)
    return f"{column} IN ({listed})"


blobs = Table(
    "blobs",
    metadata,
    Column("digest", Text, primary_key=True, comment="SHA-256 of the uncompressed content"),
    Column("size", BigInteger, nullable=False, comment="uncompressed bytes"),
    Column("codec", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
    CheckConstraint(_one_of("codec", "raw", "zlib"), name="codec"),
)

suites = Table(
    "suites",
    metadata,
    Column("id", ID, primary_key=True),
    Column("name", Text, nullable=False),
    Column("digest", Text, nullable=False, comment="of the tasks, whatever their order"),
    UniqueConstraint("name", "digest"),
)

tasks = Table(
    "tasks",
    metadata,
    Column("id", ID, primary_key=True),
    Column("name", Text, nullable=False, comment="the task's id as the suite file writes it"),
    Column("digest", Text, nullable=False, comment="of instruction, files, graders, limits, …"),
    Column("tags", Text, nullable=False, comment="JSON list, as last launched"),
    UniqueConstraint("name", "digest"),
)

configs = Table(
    "configs",
    metadata,
    Column("id", ID, primary_key=True),
    Column("name", Text, nullable=False),
    Column("agent", Text, nullable=False),
    Column("model", Text),
    Column("spec", Text, nullable=False, comment="canonical JSON"),
    Column("digest", Text, nullable=False, comment="of the spec"),
    UniqueConstraint("name", "digest"),
)

sweeps = Table(
    "sweeps",
    metadata,
    Column("id", ID, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("suite_id", ID, ForeignKey("suites.id"), nullable=False),
    Column("document_digest", Text, nullable=False, comment="blob: the suite as launched, JSON"),
    Column("suite_path", Text, nullable=False, comment="the file it was launched from"),
    Column("state", Text, nullable=False),
    Column("stop_reason", Text, comment="why it was stopped, for people"),
    Column("repeats", Integer, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("max_in_flight", Integer, nullable=False),
    Column("infra_attempts", Integer, nullable=False),
    Column("budget_nusd", BigInteger, comment="NULL: no cap"),
    Column("spent_nusd", BigInteger, nullable=False, comment="known cost of all calls"),
    Column(
        "reserved_nusd", BigInteger, nullable=False, comment="the most that calls in flight cost"
    ),
    Column("exposed_nusd", BigInteger, nullable=False, comment="the most that unknown calls cost"),
    Column("priced_calls", BigInteger, nullable=False, comment="answers of known cost"),
    Column("unpriced_calls", BigInteger, nullable=False, comment="settled calls of unknown cost"),
    Column("environment", Text, nullable=False, comment="JSON: versions, host, kernel, …"),
    Column("created_us", BigInteger, nullable=False),
    Column("settled_us", BigInteger),
    CheckConstraint(_one_of("state", "open", "complete", "stopped"), name="state"),
)

workers = Table(
    "workers",
    metadata,
    Column("id", ID, primary_key=True),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("boot_id", Text, nullable=False),
    Column("started_us", BigInteger, nullable=False),
)

trials = Table(
    "trials",
    metadata,
    Column("id", ID, primary_key=True),
    Column("sweep_id", ID, ForeignKey("sweeps.id"), nullable=False),
    Column("config_id", ID, ForeignKey("configs.id"), nullable=False),
    Column("task_id", ID, ForeignKey("tasks.id"), nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("position", BigInteger, nullable=False, comment="place in the plan, from 0"),
    Column("state", Text, nullable=False),
    Column("outcome", Text),
    Column("reason", Text),
    Column("score", Float, comment="within [0, 1]"),
    Column("passed", Boolean),
    Column("timed_out", Boolean, nullable=False, server_default=text("false")),
    Column("grade_round", Integer, nullable=False, server_default=text("0")),
    Column("fence", BigInteger, nullable=False, server_default=text("0")),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    Column(
        "infra_tries",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="infrastructure errors since the trial was last opened",
    ),
    Column(
        "not_before_us",
        BigInteger,
        nullable=False,
        server_default=text("0"),
        comment="a retry waits until then",
    ),
    Column(
        "cost_nusd",
        BigInteger,
        server_default=text("0"),
        comment="known part over all attempts; NULL: nothing known",
    ),
    Column("unpriced_calls", Integer, nullable=False, server_default=text("0")),
    Column(
        "input_tokens", BigInteger, server_default=text("0"), comment="uncached, over all attempts"
    ),
    Column("output_tokens", BigInteger, server_default=text("0")),
    Column("seconds", Float, comment="the agent's working time in the attempt that counts"),
    Column("settled_us", BigInteger),
    UniqueConstraint("sweep_id", "config_id", "task_id", "repeat"),
    CheckConstraint(_one_of("state", "pending", "running", "settled"), name="state"),
    CheckConstraint(_one_of("outcome", "pass", "fail", "infra_error"), name="outcome"),
    CheckConstraint("(state = 'settled') = (outcome IS NOT NULL)", name="settled_has_outcome"),
    CheckConstraint(
        "outcome IN ('pass', 'fail') OR (passed IS NULL AND score IS NULL)",
        name="only_graded_has_score",
    ),
    CheckConstraint("score >= 0 AND score <= 1", name="score"),
)
Index(
    "ix_trials_pending",
    trials.c.sweep_id,
    trials.c.position,
    sqlite_where=text("state = 'pending'"),
    postgresql_where=text("state = 'pending'"),
)
Index(
    "ix_trials_sweep",
    trials.c.sweep_id,
    trials.c.state,
    trials.c.outcome,
)

attempts = Table(
    "attempts",
    metadata,
    Column("id", ID, primary_key=True),
    Column("trial_id", ID, ForeignKey("trials.id"), nullable=False),
    Column("number", Integer, nullable=False, comment="from 1 within its trial"),
    Column("fence", BigInteger, nullable=False),
    Column("worker_id", ID, ForeignKey("workers.id"), nullable=False),
    Column("ending", Text, comment="NULL while it runs"),
    Column("reason", Text),
    Column("detail", Text, comment="for people"),
    Column("lease_until_us", BigInteger, comment="by the database's clock; NULL on SQLite"),
    Column("started_us", BigInteger, nullable=False),
    Column("ended_us", BigInteger),
    Column("setup_seconds", Float),
    Column("agent_seconds", Float, comment="without waiting"),
    Column("waiting_seconds", Float, comment="on a model's service"),
    Column("grading_seconds", Float),
    Column("isolation", Text, comment="the sandbox back end, or none"),
    Column("flags", Text, nullable=False, server_default=text("''"), comment="space-separated"),
    Column("answer_digest", Text, comment="blob: the answer that was graded, UTF-8"),
    Column("files_digest", Text, comment="blob: JSON list of the files that were graded"),
    UniqueConstraint("trial_id", "number"),
    CheckConstraint(
        _one_of("ending", "finished", "infra_error", "interrupted", "superseded"), name="ending"
    ),
)
Index(
    "ix_attempts_live",
    attempts.c.worker_id,
    sqlite_where=text("ending IS NULL"),
    postgresql_where=text("ending IS NULL"),
)

model_calls = Table(
    "model_calls",
    metadata,
    Column("id", ID, primary_key=True),
    Column("attempt_id", ID, ForeignKey("attempts.id"), nullable=False),
    Column("number", Integer, nullable=False, comment="from 1 within its attempt"),
    Column("role", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("endpoint", Text, nullable=False, comment="scheme and host"),
    Column("state", Text, nullable=False),
    Column("parameters_digest", Text, nullable=False, comment="blob: the body without messages"),
    Column(
        "messages_kept",
        Integer,
        nullable=False,
        comment="how many messages of the call before stand at the start of this one",
    ),
    Column(
        "messages",
        Text,
        nullable=False,
        comment="JSON list: digests of the further messages, each a blob as it was sent",
    ),
    Column("response_digest", Text, comment="blob: the answer's message, or what came of it"),
    Column("stop_reason", Text),
    Column("reason", Text, comment="why it gave no answer"),
    Column("detail", Text),
    Column("http_status", Integer),
    Column("request_id", Text),
    Column("input_tokens", BigInteger, comment="uncached"),
    Column("output_tokens", BigInteger, comment="thinking included"),
    Column("cache_read_tokens", BigInteger),
    Column("cache_write_5m_tokens", BigInteger),
    Column("cache_write_1h_tokens", BigInteger),
    Column("thinking_tokens", BigInteger),
    Column("cost_nusd", BigInteger, comment="NULL: unknown"),
    Column("reserved_nusd", BigInteger, comment="the most it can cost; NULL: no known price"),
    Column("price_source", Text),
    Column("sent_us", BigInteger, nullable=False),
    Column("seconds", Float),
    Column("first_byte_seconds", Float),
    UniqueConstraint("attempt_id", "number"),
    CheckConstraint(_one_of("role", "agent", "judge", "user"), name="role"),
    CheckConstraint(
        _one_of("state", "sent", "completed", "failed", "unknown", "replayed"), name="state"
    ),
)

tool_calls = Table(
    "tool_calls",
    metadata,
    Column("id", ID, primary_key=True),
    Column("attempt_id", ID, ForeignKey("attempts.id"), nullable=False),
    Column("number", Integer, nullable=False, comment="from 1 within its attempt"),
    Column("model_call_id", ID, ForeignKey("model_calls.id"), comment="the call that asked for it"),
    Column("name", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("input_digest", Text, nullable=False, comment="blob: the arguments, JSON"),
    Column("exit", Integer, comment="exit status; NULL where there was none"),
    Column("seconds", Float),
    Column("output_digest", Text, comment="blob: all that was captured"),
    Column("cut_bytes", BigInteger, comment="how much more there was"),
    Column("error", Text),
    UniqueConstraint("attempt_id", "number"),
    CheckConstraint(_one_of("state", "started", "completed", "unknown", "replayed"), name="state"),
)

grades = Table(
    "grades",
    metadata,
    Column("id", ID, primary_key=True),
    Column("attempt_id", ID, ForeignKey("attempts.id"), nullable=False),
    Column("grader", Text, nullable=False),
    Column("round", Integer, nullable=False, comment="0: the first grading"),
    Column("passed", Boolean, nullable=False),
    Column("score", Float, nullable=False, comment="within [0, 1]"),
    Column("explanation", Text, nullable=False),
    UniqueConstraint("attempt_id", "grader", "round"),
    CheckConstraint("score >= 0 AND score <= 1", name="score"),
)
