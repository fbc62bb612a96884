"""Taking out of a bundle what must not leave the site."""
