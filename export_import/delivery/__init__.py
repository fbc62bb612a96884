"""Deliveries: definitions, resources and handbooks from their author into a workspace."""
