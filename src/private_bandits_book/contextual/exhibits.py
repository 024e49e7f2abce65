"""Everything that the chapter's page shows."""

from private_bandits_book.contextual import panels, rate_panels, tables
from private_bandits_book.exhibits import Exhibits

exhibits = Exhibits(panels.panels, rate_panels.panels, tables.tables)
