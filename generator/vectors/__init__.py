"""Search by meaning, beside search by words: optional, and off until a provider is named in the settings.

`chunks` cuts pages into pieces, `providers` turn them into vectors, `shelf` keeps these in LanceDB beside the index.
Only `shelf` and the local provider need the extra `[vectors]`; nothing here is loaded where search by meaning is off.
"""
