"""What the page of the heavy-tailed chapter shows."""

from private_bandits_book.exhibits import Exhibits
from private_bandits_book.heavy_tailed.panels import panels
from private_bandits_book.heavy_tailed.tables import tables

exhibits = Exhibits(panels, tables)
