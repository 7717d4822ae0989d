"""A vault of Markdown notes becomes one index and, from it, a static wiki."""

__version__ = "0.1.0"
