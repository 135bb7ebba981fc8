"""The roles that think: each a prompt, a typed result and a bar."""
