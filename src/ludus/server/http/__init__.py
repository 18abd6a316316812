"""What all HTTP APIs share: errors, rate limits, middleware."""
