"""Hosts and addresses in definitions: command lines and programs as people write them, and what is none."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.api.local import LocalService
from engine.runtime.interventions.amendment import NewDefinition
from export_import.fix.addresses import addresses
from export_import.fix.effects import effects
from tests.runtime.site import Site

COMMANDS = {
    "ssh h": {"h"},
    "ssh -p 22 u@h cmd": {"h"},
    "/usr/bin/ssh -vp22 -i key -J jump u@h 'sudo systemctl restart nginx'": {"jump", "h"},
    "ssh -o ProxyCommand='nc inner 22' -o HostName=other x": {"inner", "other", "x"},
    "sshpass -e ssh \\\n  -p 22 \\\n  h uptime": {"h"},
    'bash -c "ssh h"': {"h"},
    "cat <<EOF | ssh h sh\ndate\nEOF": {"h"},
    "cat > c <<EOF\nHost x\n  HostName evil\nEOF": {"x", "evil"},
    "scp f h:/x": {"h"},
    "scp -P 22 u@h:/x .": {"h"},
    'rsync -az -e "ssh -p 1" a h:b': {"h"},
    "rsync a rsync://h/module": {"rsync://h/module"},
    "sftp h": {"h"},
    "sftp u@h:/x <<< 'get a'": {"h"},
    "git clone h:repo.git": {"h"},
    "psql -h h -U app shop": {"h"},
    'psql "host=h dbname=shop"': {"h"},
    "PGHOST=h psql shop": {"h"},
    "mysql --host=h -u app": {"h"},
    "mysql -hh -uapp shop": {"h"},
    "mysqldump --host h shop > shop.sql": {"h"},
    "redis-cli -h h -p 6379 ping": {"h"},
    "nc h 80": {"h"},
    "nc -v -w 5 2>&1 h 80": {"h"},
    "openssl s_client -connect h:443": {"h:443"},
    "socat - TCP:h:80": {"h:80"},
    "exec 3<>/dev/tcp/h/80": {"/dev/tcp/h/80"},
    "ping -c 3 h": {"h"},
    "curl -s -X POST -d @f h/path": {"h"},
    "curl -o out.csv files.example/x.csv": {"files.example"},
    "wget -q http://h:8080/x.tgz": {"http://h:8080/x.tgz"},
    "kubectl --server h get pods": {"h"},
    "./load --db-host h": {"h"},
    "docker -H h ps": {"h"},
    "mount -t cifs //h/share /mnt": {"//h/share"},
    r"type \\h\share\list.txt": {r"\\h\share"},
    "java -Durl=jdbc:oracle:thin:@h:1521:sid App": {"jdbc:oracle:thin:@h:1521:sid"},
    "run jdbc:postgresql://h:5432/shop": {"jdbc:postgresql://h:5432/shop"},
    "nc 10.9.8.7 80": {"10.9.8.7"},
    "run 10.9.8.7:80": {"10.9.8.7:80"},
    "ping 2001:db8::7": {"2001:db8::7"},
    "run fe80::1 [2001:db8::7]:80": {"fe80::1", "[2001:db8::7]:80"},
    "curl http://[::1]:80/": {"http://[::1]:80/"},
    "telnet 2130706433": {"2130706433"},
    "run h:8080": {"h:8080"},
    "run db.example.com": {"db.example.com"},
    "mail -s done ops@example.com": {"example.com"},
    "curl $URL": {"$URL"},
    'ssh "${HOST}" ls': {"${HOST}"},
    "ssh $(cat host.txt) ls": {"$(cat host.txt)"},
    "TARGET=h; ssh $TARGET ls": {"$TARGET", "h"},
    "a=h; b=$a; ssh $b": {"$a", "$b", "h"},
    "for x in red blue; do ssh $x ls; done": {"$x", "red", "blue"},
    "ssh {$.TASK.PARAMS['target']} ls": {"{$.TASK.PARAMS['target']}"},
    "curl 'http://{$.TASK.PARAMS['target']}:80/x'": {"http://{$.TASK.PARAMS['target']}:80/x"},
}
NONE = (
    "echo hello > report.csv",
    "date +%H:%M:%S",
    "cp a.txt /srv/b.txt && tar -xzf x.tar.gz",
    "psql -U app shop -c 'select a.b from c'",
    "test 12:30 = 12:30 && echo 1.2.3",
    "cd ~/.ssh && ls /etc/ssh",
    "awk -F: '{print $1}' /etc/passwd",
)
PROGRAMS = {
    'socket.connect(("h", 1))': {"h"},
    "s = socket.create_connection(('h', 80), timeout=3)": {"h"},
    'peer = "h"\nsocket.create_connection((peer, 80))': {"h"},
    'smtplib.SMTP("h").sendmail(a.b, c.d, e)': {"h"},
    'psycopg2.connect(host="h", dbname="shop")': {"h"},
    'subprocess.run(["ssh", "-p", "22", "h", "ls"])': {"h"},
    'os.system("nc h 80")': {"h"},
    'urlopen(f"http://{where}/x")': {"http://{where}/x"},
    'ADDRESS = "db.local"': {"db.local"},
    'Socket s = new Socket("h", 80);': {"h"},
    "import os.path\nprint(sys.argv, row.get('count', 0), f'{total:10}')": set(),
}


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_line_names_the_hosts_that_it_reaches_and_nothing_else(line: str) -> None:
    assert addresses([{"type": "shell", "process": line}]) == COMMANDS[line]


@pytest.mark.parametrize("line", NONE)
def test_what_only_looks_like_a_host_is_none(line: str) -> None:
    assert addresses([{"type": "shell", "process": line}]) == set()


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_program_names_what_it_connects_to(program: str) -> None:
    assert addresses([{"type": "python", "process": program}]) == PROGRAMS[program]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ({"type": "command", "argv": ["ssh", "-p", 22, "h", "ls"]}, {"h"}),
        ({"type": "command", "argv": ["bash", "-c", "nc h 80"]}, {"h"}),
        ({"type": "http", "url": "{$.TASK.PARAMS['u']}/x"}, {"{$.TASK.PARAMS['u']}/x"}),
        ({"type": "http", "resource": "api", "headers": {"Host": "h"}}, {"h"}),
        ({"type": "database", "uri": "h:5432"}, {"h:5432"}),
        ({"type": "sql", "statements": ["select t.name from t", "select dblink('host=h', 'x')"]}, {"h"}),
        ({"type": "sql", "statements": ["create server s options (host 'h')"]}, {"h"}),
        ({"env": {"DB_HOST": "h", "MODE": "fast"}}, {"h"}),
        ({"params": {"smtpServer": {"kind": "text", "value": "h"}}}, {"h"}),
        ({"params": {"备份服务器": "h"}}, {"h"}),
        ({"params": {"servers": ["a", "b"]}}, {"a", "b"}),
        ({"process": "ssh $target", "params": {"target": "h", "mode": "fast"}}, {"$target", "h"}),
    ],
)
def test_keys_lists_and_parameters_name_hosts_too(content: Any, found: set[str]) -> None:
    assert addresses([content]) == found


def test_the_parameter_that_a_job_connects_to_is_reported_wherever_it_is_set(site: Site) -> None:
    task = {"nodes": {"look": {"job": "look", "params": {"target": "old"}}}}
    jobs = {"look": {"type": "shell", "process": "ssh $target uptime"}}
    text = json.dumps({"skerry": 1, "jobs": jobs, "tasks": {"daily": task}})
    LocalService(site.engine, "operator").load([{"name": "ours.yaml", "text": text}])

    def reached(content: Any, **values: Any) -> set[str]:
        new = [NewDefinition("task", "daily", content)]
        found = effects(new, site.engine.store, values, "daily")
        return {each.what for each in found if each.kind == "reach"}

    assert reached(task) == set()
    assert reached({"nodes": {"look": {"job": "look", "params": {"target": "new"}}}}) == {"new"}
    assert reached(task, **{"$.TASK.PARAMS['target']": "evil", "$.TASK.PARAMS['mode']": "fast"}) == {"evil"}


def test_a_text_with_more_commands_than_are_looked_at_says_that_there_are_more() -> None:
    assert addresses(["ssh h\n" * 2000]) == {"h"}
    assert addresses(["nc '" * 50_000 + "\nssh h\n" * 2000]) == {"…"}


TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
PIECES = st.sampled_from(
    [
        "ssh ",
        "nc ",
        "-p",
        "h",
        "host",
        "=",
        ":",
        "://",
        "@",
        "//",
        "\\",
        "'",
        '"',
        "[",
        "(",
        "{$",
        "}",
        "$",
        "\n",
        "1.2",
        "::",
    ]
)


@given(st.one_of(TREES, st.lists(PIECES, max_size=40).map("".join)))
def test_whatever_a_definition_holds_its_addresses_are_texts(tree: Any) -> None:
    assert all(
        isinstance(each, str) and each for each in addresses([{"type": "python", "process": tree}, tree])
    )


@given(st.from_regex(r"[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,5})?(\.[a-z]{2,5}){0,2}", fullmatch=True), st.sampled_from(
    ["ssh {}", "scp a {}:/b", "nc {} 80", "psql -h {}", "x=1; HOST={}", "socket.connect(('{}', 1))", "run u@{}", "run {}:80"]
))  # fmt: skip
def test_any_name_of_a_host_is_found_in_any_position_of_one(name: str, line: str) -> None:
    found = addresses([{"type": "shell", "process": line.replace("{}", name)}])

    assert {each.partition(":")[0] for each in found} == {name}
