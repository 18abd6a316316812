"""Strength and speed of the engines, compared with other programs where these can be installed."""
