"""The web page for people and its internal API. Talks to the service only, never to rooms, REST or the arena."""
