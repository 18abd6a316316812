"""How the parts of the house tell each other that something has changed: the `Bus` port.

A note says where to look, never what is there; nothing is kept, and no decision is made in here.
"""
