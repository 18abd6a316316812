"""What the processes of one cluster ask each other directly. Knows no games and no service."""
