"""What all HTTP doors share: errors, rate limits, middleware."""
