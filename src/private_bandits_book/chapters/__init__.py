"""A room a chapter: its claims, the rules that judge them, its longer studies."""
