"""Alembic's entry: one transaction for everything, on SQLite too.

Views hold no data, so they are made afresh from the code after the tables have moved on.

The runner hands over an open connection; ``alembic`` on the command line makes one from
``sqlalchemy.url``.
"""

from __future__ import annotations

from alembic import context
from sqlalchemy import Connection

from runner.ledger.schema.tables import metadata
from runner.ledger.schema.views import create_views, drop_views
from runner.ledger.store.address import parse_address
from runner.ledger.store.connect import write_engine


def migrate(connection: Connection) -> None:
    context.configure(
        connection=connection,
        target_metadata=metadata,
        transactional_ddl=True,
        render_as_batch=True,
    )
    with context.begin_transaction():
        drop_views(connection)
        context.run_migrations()
        create_views(connection)


given = context.config.attributes.get("connection")
if given is not None:
    migrate(given)
else:
    url = context.config.get_main_option("sqlalchemy.url") or "ledger.db"
    with write_engine(parse_address(url)).begin() as connection:
        migrate(connection)
