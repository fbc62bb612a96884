"""How ``engine/runtime`` is laid out; the layers and circles of its imports are contracts in pyproject.toml."""

from pathlib import Path

import engine.runtime

MOST = 25


def test_few_modules_lie_directly_in_the_runtime() -> None:
    """What is added belongs into one of the packages; here is only what every part shares."""
    folder = Path(engine.runtime.__file__).parent

    found = [path.name for path in folder.glob("*.py") if path.name != "__init__.py"]

    assert len(found) <= MOST, f"put it into a package: {sorted(found)}"
