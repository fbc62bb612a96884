"""``python -m app.regenerate_docs``: write the pages of the documentation that come from the program."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TypeVar

import jobs_builtin
import resources
from engine.model.catalogue import Catalogue, engine_codes
from engine.plugins.job_type import JobType
from engine.plugins.pages import LANGUAGES, catalogue_page, index_page, page, resource_page
from engine.plugins.registry import job_types, resource_types
from engine.plugins.resource_type import ResourceType

DOCS = Path(__file__).resolve().parent.parent / "docs"
_PACKAGES = (jobs_builtin.__name__, resources.__name__)
Plugin = TypeVar("Plugin", JobType, ResourceType)


def pages() -> dict[str, str]:
    """Every generated page by its path below ``docs/``."""
    jobs = _by_kind(job_types(jobs_builtin).values())
    sources = _by_kind(resource_types(resources).values())
    codes = [each.codes for each in jobs] + [each.codes for each in sources]
    catalogue = list(Catalogue(chain(engine_codes(), *codes)))
    found: dict[str, str] = {}
    for language in LANGUAGES:
        base = "" if language == "en" else f"{language}/"
        found |= {f"{base}job-types/{each.kind}.md": page(each, language) for each in jobs}
        found |= {f"{base}resources/{each.kind}.md": resource_page(each, language) for each in sources}
        found[f"{base}job-types/README.md"] = index_page("types", jobs, language)
        found[f"{base}resources/README.md"] = index_page("resources", sources, language)
        found[f"{base}errors.md"] = catalogue_page(catalogue, language)
    return found


def _by_kind(types: Iterable[Plugin]) -> list[Plugin]:
    """Each built-in type once; those of other installed packages have documentation of their own."""
    own = [each for each in types if type(each).__module__.split(".")[0] in _PACKAGES]
    return [each for _, each in sorted({each.kind: each for each in own}.items())]


def written() -> set[str]:
    """The paths below ``docs/`` of the generated pages that are there."""
    folders = [DOCS / base / name for base in ("", "zh") for name in ("job-types", "resources")]
    found = [path for folder in folders for path in folder.glob("*.md")]
    found += [path for path in (DOCS / "errors.md", DOCS / "zh" / "errors.md") if path.exists()]
    return {str(path.relative_to(DOCS)) for path in found}


def main() -> None:
    """Write them all, and remove the pages of types that are no more."""
    wanted = pages()
    for path in written() - wanted.keys():
        (DOCS / path).unlink()
    for path, text in wanted.items():
        place = DOCS / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
