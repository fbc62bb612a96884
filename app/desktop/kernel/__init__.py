"""What every part of the window is built on: texts, looks, actions, the way to the engine."""
