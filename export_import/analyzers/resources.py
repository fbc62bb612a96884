"""Resources that failed a check before, in or after a job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from export_import.desk.findings import Bilingual, CaseFinding, FindingPlace, Study
from export_import.desk.records import resource_checks


def analyze(study: Study) -> Iterator[CaseFinding]:
    """From the failures, and from what was noted after jobs that change a resource."""
    for each in study.exceptions:
        check = each.details.get("check")
        if isinstance(check, Mapping):
            where = FindingPlace(study.instance, each.node, job_instance=each.job_instance)
            yield _finding(str(each.details.get("resource")), str(check.get("message")), where, each.code)
    resources = study.evidence.resources(study.instance)
    for id, cause in resource_checks(study.timeline.causes(), resources):
        if cause.value["ok"] is False:
            where = FindingPlace(study.instance, path=cause.path, seq=cause.seq)
            yield _finding(id, str(cause.value.get("message")), where, None)


def _finding(id: str, message: str, where: FindingPlace, code: int | None) -> CaseFinding:
    title = Bilingual(f"Resource {id!r} is not ok: {message}", f"资源 {id!r} 检查未通过：{message}")
    detail = Bilingual(
        "See whether it is there, may be reached from the site's machine, and is as its check demands.",
        "请确认该资源存在、可从现场主机访问，并且符合其检查要求。",
    )
    return CaseFinding("error", title, detail, where, code)
