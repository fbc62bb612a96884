"""The engine: Skerry without a face. Nothing here imports Qt or the folders beside this one."""

__version__ = "0.1.0"  # also that of the package (pyproject.toml)
