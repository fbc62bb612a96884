"""No modules import each other in a circle, not even for types or inside functions."""

from __future__ import annotations

import grimp

from engine.planning.dag import cycles

PACKAGES = ("app", "engine", "export_import", "jobs_builtin", "resources", "tests")


def test_no_modules_import_each_other_in_a_circle() -> None:
    graph = grimp.build_graph(*PACKAGES, exclude_type_checking_imports=False, cache_dir=None)

    imports = {module: sorted(graph.find_modules_directly_imported_by(module)) for module in graph.modules}

    assert cycles(imports) == []
