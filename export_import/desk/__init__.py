"""The support desk: what an instance recorded, looked at again away from its site."""
