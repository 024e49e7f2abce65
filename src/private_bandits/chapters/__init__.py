"""Moved to `private_bandits_book.chapters`; what saved runs import is found for this version."""

from private_bandits._moved import forward

forward(__name__)
