"""One file, one process that serves from it, and as many others beside it as want to read or write a little."""
