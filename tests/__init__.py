"""A regular package, because a dependency installs another `tests` that would hide a namespace package."""
