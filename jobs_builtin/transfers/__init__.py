"""What the types that move files to and from other machines share."""
