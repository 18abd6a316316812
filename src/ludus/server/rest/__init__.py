"""REST for the tenants' back ends: sessions, their own account, and the rooms anyone may watch."""

from ludus.server.rest.errors import handle_errors
from ludus.server.rest.openapi import describe
from ludus.server.rest.routes import router

__all__ = ["describe", "handle_errors", "router"]
