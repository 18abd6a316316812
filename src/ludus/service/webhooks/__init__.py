"""Webhooks: the transactional outbox, delivery with retries, and retention."""
