"""What the platform does: tables, lobby, clocks, ratings, bots, sessions, webhooks.

No web framework, SQL or files in here: `ports` declares what the service needs from outside.
"""
