"""What every part of the window stands on: texts, looks, actions, the way to the engine."""
