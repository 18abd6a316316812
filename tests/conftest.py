"""Hypothesis without a clock: this may run on a busy machine."""

from hypothesis import HealthCheck, settings

settings.register_profile("ludus", deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ludus")
