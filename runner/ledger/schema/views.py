"""The views that people query: dollars instead of nano-dollars, ISO times, 1/0 for verdicts.

``results``        one row per trial
``task_scores``    one row per sweep, configuration and task: n graded, c of them passed
``repeat_scores``  one row per sweep, configuration and repeat
``config_scores``  one row per sweep and configuration: pass rate, cost per solve, all spend
``spend``          every dollar by sweep, configuration, role and fate
"""

from __future__ import annotations

from sqlalchemy import Connection

_USD = "CAST({0} AS DOUBLE PRECISION) / 1000000000"
_PASSED = "CASE WHEN t.passed THEN 1 WHEN NOT t.passed THEN 0 END"
_ISO = {
    "sqlite": "strftime('%Y-%m-%dT%H:%M:%fZ', {0} / 1000000.0, 'unixepoch')",
    "postgresql": (
        "to_char(to_timestamp({0} / 1000000.0) AT TIME ZONE 'UTC', "
        '\'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"\')'
    ),
}
_COUNTS = """
       SUM(CASE WHEN t.outcome IN ('pass', 'fail') THEN 1 ELSE 0 END) AS n,
       SUM(CASE WHEN t.outcome = 'pass' THEN 1 ELSE 0 END) AS c,
       SUM(CASE WHEN t.outcome = 'infra_error' THEN 1 ELSE 0 END) AS infra,
       SUM(CASE WHEN t.outcome IS NULL THEN 1 ELSE 0 END) AS open,
       CAST(SUM(CASE WHEN t.outcome = 'pass' THEN 1 WHEN t.outcome = 'fail' THEN 0 END)
            AS DOUBLE PRECISION)
         / NULLIF(SUM(CASE WHEN t.outcome IN ('pass', 'fail') THEN 1 ELSE 0 END), 0) AS pass_rate,
       AVG(t.score) AS mean_score"""


def create_views(connection: Connection) -> None:
    """Make all views."""
    for name, select in views(connection.dialect.name).items():
        connection.exec_driver_sql(f"CREATE VIEW {name} AS {select}")


def drop_views(connection: Connection) -> None:
    """Take all views away, so that the tables under them can change."""
    for name in views(connection.dialect.name):
        connection.exec_driver_sql(f"DROP VIEW IF EXISTS {name}")


def views(dialect: str) -> dict[str, str]:
    """Give each view's SELECT, by name, for ``sqlite`` or ``postgresql``."""
    iso = _ISO[dialect]
    return {
        "results": _results(iso),
        "task_scores": _scores("k.name AS task, k.digest AS task_digest", "k.name, k.digest"),
        "repeat_scores": _scores("t.repeat AS repeat", "t.repeat"),
        "config_scores": _config_scores(),
        "spend": _spend(),
    }


def _results(iso: str) -> str:
    return f"""
SELECT t.id AS trial, s.name AS sweep, u.name AS suite, c.name AS config, c.model AS model,
       k.name AS task, t.repeat AS repeat, t.state AS state, t.outcome AS outcome,
       {_PASSED} AS passed, t.score AS score, t.reason AS reason,
       {_USD.format("t.cost_nusd")} AS cost_usd, t.unpriced_calls AS unpriced_calls,
       t.input_tokens AS input_tokens, t.output_tokens AS output_tokens,
       t.seconds AS seconds, t.attempts AS attempts,
       {iso.format("t.settled_us")} AS settled_at
FROM trials t
JOIN sweeps s ON s.id = t.sweep_id
JOIN suites u ON u.id = s.suite_id
JOIN configs c ON c.id = t.config_id
JOIN tasks k ON k.id = t.task_id"""


def _scores(columns: str, grouping: str) -> str:
    return f"""
SELECT s.name AS sweep, c.name AS config, {columns},
       COUNT(*) AS trials,{_COUNTS}
FROM trials t
JOIN sweeps s ON s.id = t.sweep_id
JOIN configs c ON c.id = t.config_id
JOIN tasks k ON k.id = t.task_id
GROUP BY s.name, c.name, {grouping}"""


def _config_scores() -> str:
    spent = _USD.format("SUM(t.cost_nusd)")
    return f"""
SELECT s.name AS sweep, c.name AS config, c.model AS model,
       COUNT(DISTINCT t.task_id) AS tasks, COUNT(*) AS trials,{_COUNTS},
       {spent} AS spend_usd, CAST(SUM(t.unpriced_calls) AS BIGINT) AS unpriced_calls,
       CASE WHEN SUM(t.unpriced_calls) = 0 THEN
         {spent} / NULLIF(SUM(CASE WHEN t.outcome = 'pass' THEN 1 ELSE 0 END), 0)
       END AS cost_per_solve_usd
FROM trials t
JOIN sweeps s ON s.id = t.sweep_id
JOIN configs c ON c.id = t.config_id
GROUP BY s.name, c.name, c.model"""


def _spend() -> str:
    return f"""
SELECT s.name AS sweep, c.name AS config, m.role AS role, m.model AS model, m.state AS state,
       COALESCE(a.ending, 'running') AS fate, COUNT(*) AS calls,
       SUM(CASE WHEN m.cost_nusd IS NULL AND m.state <> 'sent' THEN 1 ELSE 0 END)
         AS unpriced_calls,
       {_USD.format("SUM(m.cost_nusd)")} AS cost_usd,
       {_USD.format("SUM(CASE WHEN m.state IN ('sent', 'unknown') THEN m.reserved_nusd END)")}
         AS exposure_usd
FROM model_calls m
JOIN attempts a ON a.id = m.attempt_id
JOIN trials t ON t.id = a.trial_id
JOIN sweeps s ON s.id = t.sweep_id
JOIN configs c ON c.id = t.config_id
GROUP BY s.name, c.name, m.role, m.model, m.state, COALESCE(a.ending, 'running')"""
