"""Speed of the environments and of peers in the same run, each peer in its own virtual environment."""
