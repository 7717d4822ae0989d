"""Upkeep: what is amiss in the wiki, and what to do about it."""
