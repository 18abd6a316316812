"""Games between programs in this process: who plays, in what order, and what the result proves. No server, no clock."""
