"""Raw sources: what the wiki is written from. Their manifest and queue, their text, and how one is removed again."""
