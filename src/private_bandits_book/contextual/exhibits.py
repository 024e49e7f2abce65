"""Everything that the chapter's page shows."""

from private_bandits_book.contextual.panels import panels
from private_bandits_book.contextual.tables import tables
from private_bandits_book.exhibits import Exhibits

exhibits = Exhibits(panels, tables)
