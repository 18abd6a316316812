"""What connections may take of the server: slots, file handles, memory and time. Knows no protocol above TCP."""
