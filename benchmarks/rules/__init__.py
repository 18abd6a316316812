"""Speed of the rules beside peers measured in the same run."""
