"""Chapters as programs: validate their parameters, execute them, publish what they make."""
