"""Pages of documentation made from types: what is in them, and that nothing breaks their tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from app.type_pages import catalogue_page, index_page, page, resource_page
from engine.model.base import Frozen, Seconds, Size
from engine.model.errors import ErrorCode, Text
from engine.model.job import JobKeys, ParamSpec, ResourceRef
from engine.plugins.job_type import Call, CallType, ResultField
from engine.plugins.resource_type import CheckResult, ResolvedResource, ResourceType
from engine.plugins.shapes import example_file, key_rows

LATE = ErrorCode(
    -1_20_99_001_000, Text("Too late", "a | b", "Hurry."), Text("太晚", "原因", "快点。"), retryable=False
)


class Inner(Frozen):
    depth: int = 1


class Keys(JobKeys):
    needed: str
    pause: Seconds = 90.0
    room: Annotated[Size | None, Field(alias="space")] = None
    way: Literal["up", "down"] = "up"
    source: str | ResourceRef | None = None
    inner: Inner = Inner()
    many: tuple[int, ...] = (1, 2)
    anything: Any = None
    ratio: float = 2.5


class Ferry(CallType):
    kind = "ferry"
    label = ("Ferry", "渡船")
    help = ("Crosses the water.", "渡过水面。")
    keys = Keys
    params: Mapping[str, ParamSpec] = {
        "to": ParamSpec(kind="text", required=True),
        "seats": ParamSpec(value=4),
        "note": ParamSpec(),
    }
    results = (ResultField("crossed", "boolean", "Whether it crossed.", "是否渡过。"),)
    codes = (LATE,)
    meanings = {"needed": ("What | must be.", "必需的。"), "to": ("Where to.", "去哪里。")}
    example = "type: ferry\nneeded: x\n"

    def call(self, call: Call) -> Mapping[str, Any]:
        return {"crossed": True}


class Pier(ResourceType):
    kind = "pier"
    aliases = ("dock",)
    label = ("Pier", "码头")
    help = ("Where ferries land.", "渡船靠岸的地方。")
    check_keys = Inner
    request_keys = JobKeys
    codes = (LATE,)
    meanings = {"depth": ("Metres of water.", "水深（米）。")}
    example = "type: pier\nuri: x\n"

    def check(self, resource: ResolvedResource, on_cancel: Any = None) -> CheckResult:
        return CheckResult(True, "fine")


def test_the_keys_of_a_model_are_reported_in_words_of_both_languages() -> None:
    assert {row.name: (" or ".join(row.types), row.default) for row in key_rows(Keys)} == {
        "needed": ("text", None),
        "pause": ("duration", "90s"),
        "space": ("size", None),
        "way": ("`up` or `down`", "up"),
        "source": ("text or `{resource: id}`", None),
        "inner": ("map", Inner()),
        "many": ("list", (1, 2)),
        "anything": ("any value", None),
        "ratio": ("number", 2.5),
    }
    chinese = page(Ferry(), "zh")
    assert "| `pause` | 时长 | `90s` |" in chinese
    assert "| `way` | `up`或`down` |" in chinese


def test_a_page_tells_all_that_the_type_declares() -> None:
    english, chinese = page(Ferry(), "en"), page(Ferry(), "zh")

    for expected in (
        "# `ferry`: Ferry\n",
        "The engine does the work itself",
        "| `needed` | text | required | What \\| must be. |",
        "| `pause` | duration | `90s` |  |",
        "| `many` | list | `[1, 2]` |  |",
        "| `ratio` | number | `2.5` |  |",
        "| `to` | text | required | Where to. |",
        "| `seats` | number | `4` |  |",
        "| `note` | any |  |  |",
        "| `crossed` | boolean | Whether it crossed. |",
        "| `-12099001000` | Too late | a \\| b | Hurry. | no |",
        "skerry: 1\njobs:\n  example:\n    type: ferry\n    needed: x\n",
    ):
        assert expected in english
    assert "| `to` | text | 必填 | 去哪里。 |" in chinese
    assert "Too late" not in chinese


def test_every_row_of_a_table_has_as_many_cells_as_its_head() -> None:
    for text in (page(Ferry(), "en"), resource_page(Pier(), "zh"), catalogue_page([LATE], "en")):
        widths = 0
        for line in text.splitlines():
            cells = line.replace("\\|", "").count("|")
            widths = cells if cells and not widths else widths if cells else 0
            assert cells == widths


def test_the_page_of_a_resource_type_has_the_keys_of_check_and_request() -> None:
    text = resource_page(Pier(), "en")

    assert "Also written as `dock`." in text
    assert "## Keys of `check`" in text
    assert "| `depth` | whole number | `1` | Metres of water. |" in text
    assert "Keys of `request`" not in text
    assert example_file("resources", Pier.example) in text


def test_the_catalogue_is_in_order_of_its_domains() -> None:
    text = Text("t", "c", "r")
    entries = [ErrorCode(number, text, text) for number in (-1_20_01_001_000, -1_01_00_002_000)]

    found = catalogue_page(entries, "zh")

    assert found.index("## 01 定义与用法") < found.index("-10100002000") < found.index("## 20 作业类型")


def test_the_index_links_every_type() -> None:
    assert "| [`ferry`](ferry.md) | 渡船 |" in index_page("job-types", [Ferry()], "zh")
