"""Keys of a job type that may hold expressions are evaluated wherever the text is in them."""

from __future__ import annotations

import json

from tests.runtime.site import Site, task
from tests.servers.web import Web


def test_what_an_http_job_sends_as_json_is_evaluated_inside_maps_and_lists(site: Site, web: Web) -> None:
    hostile = '\'; drop table "x"\r\n$(id)'
    value = {"a": ["$.TASK.PARAMS['v']", 1], "b": "no {$.TASK.PARAMS['v']}"}
    request = {"type": "http", "url": f"{web.url}/json", "json": value}

    seen = site.run(task({"h": request}, params={"v": "none"}), texts={"v": hostile})

    assert seen.status == "succeeded"
    assert json.loads(web.body()) == {"a": [hostile, 1], "b": f"no {hostile}"}
