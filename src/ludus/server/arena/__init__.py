"""The arena, the API for programs and language models, over plain HTTP and WebSockets. No rules and no SQL in here."""
