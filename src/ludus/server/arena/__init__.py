"""The arena: the API of programs and language models. Plain HTTP and WebSockets; no rules and no SQL in here."""
