"""Strength and speed of the engines, beside other programs where they can be installed."""
