"""Speed of the environments beside peers measured in the same run, each peer in a virtual environment of its own."""
