"""Reading the two sides of a comparison: whole instances, or earlier runs of one; on worker threads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.desktop.run.compare import Comparison, Side, compare
from app.desktop.run.context_feed import ContextFeed
from app.desktop.run.reading import captured, read_json
from app.desktop.run.session import job_at
from engine.api.documents import RunDocument
from engine.api.service import Service
from engine.context.timeline import Moment, Spot

Which = tuple[int, int | None]  # the instance, and the run of it (None: the latest)


def compared(service: Service, left: Which, right: Which) -> Comparison:
    """Read both and compare them."""
    return compare(side(service, *left), side(service, *right))


def side(service: Service, instance: int, run: int | None = None) -> Side:
    """One side; SkerryError when there is no such instance."""
    document = service.instance(instance)
    folder = Path(document["directory"]) if document["directory"] else None
    if run is not None and run != document["run"] and folder is not None:
        return _earlier(service, document, folder, run)
    environment = read_json(folder / "environment.json") if folder else None
    return Side(document, captured(service, document), service.context(instance), environment or {})


def _earlier(service: Service, document: RunDocument, folder: Path, run: int) -> Side:
    """The instance as it stood at the end of an earlier run."""
    feed = ContextFeed(folder / "ctx.log")
    feed.read()
    last = max((cause.seq for cause in feed.causes() if cause.run <= run), default=0)
    moment = feed.moment(last)
    environment = read_json(folder / "runs" / str(run) / "environment.json")
    then = run_at(document, moment, run)
    return Side(then, captured(service, then), moment.tree, environment or {})


def run_at(document: RunDocument, moment: Moment, run: int) -> RunDocument:
    """An instance's document as the context said at a moment."""
    task: dict[str, Any] = dict(moment.tree.get("TASK", {}))
    then: Any = {
        **document,
        "run": run,
        "status": str(task.get("STATUS")),
        "error_code": task.get("ERROR_CODE"),
        "error_message": task.get("ERROR_MESSAGE"),
        "started_at": task.get("START_TIME"),
        "ended_at": task.get("END_TIME"),
        "params": task.get("PARAMS", {}),
        "results": task.get("RESULT", {}),
        "jobs": [
            job_at(job, moment.entry(Spot(job["node"], job["round"], job["index"])))
            for job in document["jobs"]
        ],
    }
    found: RunDocument = then
    return found
