"""The APIs for apps, people and agents: each reads a message, calls one function of the service and renders the answer.

No rules and no SQL in here; only `app` wires the parts together.
"""
