"""``python -m app.regenerate_docs``: write the pages and the JSON Schema that come from the program."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import TypeVar

import jobs_builtin
import resources
from app.type_pages import LANGUAGES, catalogue_page, index_page, page, resource_page
from engine.definitions.schema import json_schema
from engine.model.catalogue import Catalogue, engine_codes
from engine.plugins.job_type import JobType
from engine.plugins.registry import job_types, resource_types
from engine.plugins.resource_type import ResourceType

DOCS = Path(__file__).resolve().parent.parent / "docs"
_PACKAGES = (jobs_builtin.__name__, resources.__name__)
Plugin = TypeVar("Plugin", JobType, ResourceType)


def pages() -> dict[str, str]:
    """Every generated file by its path below ``docs/``."""
    jobs = _by_kind(job_types(jobs_builtin).values())
    sources = _by_kind(resource_types(resources).values())
    codes = [each.codes for each in jobs] + [each.codes for each in sources]
    catalogue = list(Catalogue(chain(engine_codes(), *codes)))
    schema = json_schema({each.kind: each for each in jobs}, {each.kind: each for each in sources})
    found = {"definition.schema.json": json.dumps(schema, indent=1, ensure_ascii=False) + "\n"}
    for language in LANGUAGES:
        base = "" if language == "en" else f"{language}/"
        found |= {f"{base}job-types/{each.kind}.md": page(each, language) for each in jobs}
        found |= {f"{base}resources/{each.kind}.md": resource_page(each, language) for each in sources}
        found[f"{base}job-types/README.md"] = index_page("job-types", jobs, language)
        found[f"{base}resources/README.md"] = index_page("resources", sources, language)
        found[f"{base}errors.md"] = catalogue_page(catalogue, language)
    return found


def _by_kind(types: Iterable[Plugin]) -> list[Plugin]:
    """Each built-in type once; those of other installed packages have documentation of their own."""
    own = [each for each in types if type(each).__module__.split(".")[0] in _PACKAGES]
    return [each for _, each in sorted({each.kind: each for each in own}.items())]


def written() -> set[str]:
    """The paths below ``docs/`` of the generated files that are there."""
    folders = [DOCS / base / name for base in ("", "zh") for name in ("job-types", "resources")]
    found = [path for folder in folders for path in folder.glob("*.md")]
    single = ("definition.schema.json", "errors.md", "zh/errors.md")
    found += [DOCS / name for name in single if (DOCS / name).exists()]
    return {str(path.relative_to(DOCS)) for path in found}


def main() -> None:
    """Write them all, and remove the pages of types that are no more."""
    current = pages()
    for path in written() - current.keys():
        (DOCS / path).unlink()
    for path, text in current.items():
        target = DOCS / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
