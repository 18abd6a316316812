"""REST for the tenants' back ends: sessions, and the rooms that anybody may watch."""

from ludus.server.rest.errors import handle_errors
from ludus.server.rest.routes import router

__all__ = ["handle_errors", "router"]
