"""Short policies in Python that the book's algorithms are compared with."""
