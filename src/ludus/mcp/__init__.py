"""The arena as tools for language models (Model Context Protocol). Built on `ludus.client`; contains no rules."""
