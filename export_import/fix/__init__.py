"""Fixes: repairs that a supporter signs, and a site previews, applies once, and can take back."""
