"""What the platform does: tables, lobby, clocks, ratings, bots, sessions, webhooks.

No web framework, no SQL and no file in here: `ports` names what is needed of the world.
"""
