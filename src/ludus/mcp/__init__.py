"""The arena as tools for language models (Model Context Protocol). Built on `ludus.client`; no rules are in here."""
