"""The companion: what makes the book from the library."""
