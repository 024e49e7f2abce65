"""Everything that the chapter shows."""

from private_bandits_book.audit.panels import panels
from private_bandits_book.audit.tables import tables
from private_bandits_book.exhibits import Exhibits

exhibits = Exhibits(panels, tables)
