"""Everything that the chapter's page shows."""

from private_bandits_book.exhibits import Exhibits
from private_bandits_book.semibandits.panels import panels
from private_bandits_book.semibandits.tables import tables

exhibits = Exhibits(panels, tables)
