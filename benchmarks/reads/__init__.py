"""What public reads cost the server."""
