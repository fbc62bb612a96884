"""Small widgets that several modes share."""
