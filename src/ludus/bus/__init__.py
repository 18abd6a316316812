"""The `Bus` port: notifies the platform's parts of changes.

A note says what has changed, not how; nothing is stored and no decisions are made in here.
"""
