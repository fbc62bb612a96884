"""The engine: Skerry without a face. Nothing here imports Qt or the folders beside this one."""
