"""What the processes of one cluster ask each other directly. Knows no games, and of the service only the members."""
