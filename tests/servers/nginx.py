"""A private nginx on the loopback interface."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.servers.private import answers, folder, free_port, program, running

USER, PASSWORD = "clerk", "s3cret/+word"
_CONFIG = """
daemon off; worker_processes 1; pid {place}/pid; error_log {place}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log {place}/access.log;
  client_body_temp_path {place}/t1; proxy_temp_path {place}/t2; fastcgi_temp_path {place}/t3;
  uwsgi_temp_path {place}/t4; scgi_temp_path {place}/t5;
  gzip on; gzip_min_length 1; gzip_proxied any; gzip_types *;
  server {{
    listen 127.0.0.1:{port}; root {place}/www; default_type text/plain;
    location /locked/ {{ auth_basic "here"; auth_basic_user_file {place}/users; }}
    location = /status.json {{
      default_type application/json; return 200 '{{"status": "UP", "n": 3, "list": [1]}}';
    }}
    location = /who {{ return 200 "$http_authorization|$http_x_key|$http_cookie"; }}
    location = /down {{ return 503 "closed for today"; }}
    location = /moved {{ return 302 /status.json; }}
    location = /post-moved {{ return 303 /status.json; }}
    location = /kept {{ return 307 /method; }}
    location = /method {{ return 200 "$request_method"; }}
    location = /away {{ return 302 http://127.0.0.1:{other}/who; }}
    location = /round {{ return 302 /round; }}
    location = /odd {{ return 302 ftp://127.0.0.1/x; }}
    location = /query {{ return 200 "$request_uri"; }}
    location = /slow {{ limit_rate 64; try_files /big =404; }}
    location = /agent {{ return 200 "$http_user_agent"; }}
  }}
  server {{
    listen 127.0.0.1:{other}; default_type text/plain;
    location = /who {{ return 200 "$http_authorization|$http_x_key|$http_cookie"; }}
  }}
}}
"""


@dataclass(frozen=True)
class Nginx:
    """Where it listens: ``other`` is another origin."""

    port: int
    other: int
    place: Path

    @property
    def url(self) -> str:
        """The base of all addresses."""
        return f"http://127.0.0.1:{self.port}"


@pytest.fixture(scope="session")
def nginx() -> Iterator[Nginx]:
    """One server for all tests of a session."""
    command = program("nginx", "nginx-light")
    with ExitStack() as stack:
        place = stack.enter_context(folder())
        started = Nginx(free_port(), free_port(), place)
        (place / "www" / "locked").mkdir(parents=True)
        (place / "www" / "locked" / "page").write_text("inside")
        (place / "www" / "big").write_bytes(b"0123456789abcdef" * (1 << 16))
        (place / "users").write_text(f"{USER}:{{PLAIN}}{PASSWORD}\n")
        config = place / "nginx.conf"
        config.write_text(_CONFIG.format(place=place, port=started.port, other=started.other))
        options = ["-p", str(place), "-c", str(config), "-e", str(place / "error.log")]
        ready = lambda: answers(started.port) and answers(started.other)  # noqa: E731
        stack.enter_context(running([command, *options], place / "server.log", ready))
        yield started
