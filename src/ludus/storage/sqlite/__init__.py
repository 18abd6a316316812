"""SQLite: one file, one serving process, and any number of others for occasional reads and writes."""
