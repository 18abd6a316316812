"""A stand-in that plays checkers: a short alpha-beta search over the kernel's bit sets."""
