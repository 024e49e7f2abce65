"""What the page of the comparison shows."""

from private_bandits_book.comparison.panels import panels
from private_bandits_book.comparison.tables import tables
from private_bandits_book.exhibits import Exhibits

exhibits = Exhibits(panels, tables)
