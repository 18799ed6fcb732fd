"""Editions side by side: what their rules say on each concept, clause by clause, and where they part."""
