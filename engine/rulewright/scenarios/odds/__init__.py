"""Odds: how likely the outcomes are, over all dice and random choices that are still open."""
