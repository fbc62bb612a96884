"""No host language can be reached from an expression: more than 200 escape strings get nowhere."""

from __future__ import annotations

import builtins
import os
import subprocess
import time
from contextlib import suppress
from typing import Any

import pytest

from engine.context import ContextScope, NodeNames, TaskContext
from engine.model.errors import SkerryError
from engine.model.expression import (
    as_kind,
    compile_condition,
    compile_value,
    decide,
    looks_like_condition,
    render,
)
from engine.runtime.clock import SystemClock

CODE = [
    "().__class__.__bases__[0].__subclasses__()", "__import__('os').system('id')", "''.__class__.__mro__[1]",
    "[].__class__.__base__", "9**9**9", "'%1000000000d' % 1", "'x'.ljust(10**9)", "'x'.zfill(10**9)",
    "'a' * 10**9",
    "lambda: 1", "(lambda: 1)()", "[x for x in ().__class__.__bases__]", "{}.__class__", "eval('1')",
    "exec('1')",
    "open('/etc/passwd').read()", "getattr(1, '__class__')", "globals()", "locals()", "vars()", "dir()",
    "help()",
    "breakpoint()", "input()", "compile('1','','eval')", "type('X',(),{})", "print(1)", "os.system('id')",
    "sys.modules", "subprocess.run('id')", "f'{1}'", "f'{().__class__}'", "{0.__class__}",
    "{0.__class__.__init__.__globals__}",
    "{{7*7}}", "${7*7}", "#{7*7}", "<%= 7*7 %>", "{% print(1) %}", "{{config}}", "{{''.__class__.__mro__}}",
    "{{request.application}}", "${jndi:ldap://x/a}", "$(id)", "`id`", "; id", "| id", "&& id", "|| id",
    "$((1+1))", "${IFS}",
    "%(x)s", "%s%n", "\\x41", "\\u0041", "import os", "import\tos", "from os import system",
    "raise SystemExit", "assert 0",
    "del x", "x = 1", "x := 1", "yield 1", "await x", "async def f(): pass", "def f(): pass",
    "class X: pass", "while 1: pass",
    "for x in y: pass", "try: pass", "with x: pass", "global x", "nonlocal x", "return 1", "1 if 1 else 2",
    "a.b", "a.b()",
    "a()", "a[0]", "a['b']", "x.__dict__", "x.mro()", "x.gi_frame", "x.f_globals", "x.__reduce__()",
    "x.__getattribute__('y')",
    "constructor.constructor('return process')()", "this.constructor",
    "process.mainModule.require('child_process')",
    "require('fs')", "new Function('1')()", "Object.prototype", "__proto__",
    "T(java.lang.Runtime).getRuntime().exec('id')",
    "@java.lang.Runtime@getRuntime()", "%{(#a=1)}", "''.getClass()", "<script>1</script>",
    "'; DROP TABLE task;--",
    "1; select 1", "' or 1=1 --", "../../etc/passwd", "file:///etc/passwd", "\0", "\x1b[2J", "\u202e",
    "!!python/object:os.system",
    "!ruby/object", "&a [*a]", "<<: *a", "0x1", "0o7", "0b1", "1_000", "1j", "1e", "...", "~1", "-'a'",
    "+'a'", "1 << 2", "1 >> 2",
    "1 ^ 2", "1 & 2", "1 | 2", "1 // 2", "1 % 2", "1 ** 2", "1 @ 2", "a in b", "a not in b", "a is b",
    "a is not b", "not", "and",
]  # fmt: skip
PATHS = [
    "$.__class__", "$.TASK.__class__", "$.TASK.PARAMS.__class__", "$.TASK.PARAMS['__class__']",
    "$.TASK.PARAMS.get('a')",
    "$.TASK.PARAMS.keys()", "$.TASK.PARAMS.items", "$.TASK.PARAMS.__init__.__globals__", "$.TASK.ID.upper()",
    "$.TASK.ID.format",
    "$.TASK.ID.__class__.__mro__", "$.TASK.PARAMS['a'].__len__()", "$.TASK.PARAMS.`__class__`",
    "$.TASK.PARAMS.`str.__class__`",
    "$.TASK.PARAMS.`len()`", "$.TASK.PARAMS.`eval(1)`", "$.TASK.PARAMS.`exec('1')`",
    "$.TASK.PARAMS.`import os`",
    "$.TASK.PARAMS['a'].`sub(/(a+)+$/, x)`x", "$.TASK.PARAMS[?(@.a =~ '(a+)+$')]",
    "$.TASK.PARAMS[?(__import__('os'))]",
    "$.TASK.PARAMS[?(@.a == __import__('os').system('id'))]", "$.TASK.PARAMS[(@.length-1)]",
    "$.TASK.PARAMS[?(@.a.constructor)]",
    "$.TASK.PARAMS[`id`]", "$.TASK.PARAMS[0:1:0]", "$.TASK.PARAMS['a'] * 1000000000",
    "$.TASK.PARAMS['a'] + __import__('os')",
    "$.TASK.PARAMS['a'] ** 9", "$.TASK.ID * 99999999", "$.TASK.PARAMS['list'] * 99999999",
    "$.TASK.PARAMS.`parent`.`parent`.`parent`.`parent`",
    "$.TASK.PARAMS[?(((((((((((((((((((((@.a)))))))))))))))))))))]", "$.JOB['x'].__dict__",
    "$.JOB['../../etc/passwd'].LOG",
    "$.JOB['x'].RESULT.__class__", "$.ROUNDS.__class__", "$.ITEM.__class__", "$.INDEX.real",
    "$.UPSTREAM.__class__", "$.ITEM[0].__class__",
    "$.ENV['PATH']", "$.SECRETS['x']", "$.CONFIG", "$._context", "$._Walk__x", "$.TASK.DIRECTORY.__add__",
    "$.TASK['PARAMS'].pop('a')",
    "$.TASK.PARAMS['a'].`split(a, 0, 1).__class__`", "$.TASK.PARAMS.`path`.__class__", "$..__class__",
    "$..['__class__']", "$.*.__class__",
    "$.TASK.PARAMS[\\__class__]", "$.TASK.PARAMS[/__class__]", "$.TASK.PARAMS where __class__",
    "$.TASK.PARAMS | $.__class__",
]  # fmt: skip
WRAPPED = [
    "{{{}}}:REGEX:(?e)x{{e<=1}}",
    "{{{}}}:REGEX:(?{{__import__('os')}})",
    "{{{}}}:DATE:__import__('os'):%Y",
    "File({})",
]
EVERY = [*CODE, *PATHS, *(form.format(path) for form in WRAPPED for path in PATHS[:12])]


class Alarm(Exception):
    """Something was called that must not be."""


def _warm_up() -> None:
    """Import everything that is imported late: namedtuple itself uses eval."""
    compile_value("$..a")
    compile_value("{$.ITEM}:REGEX:a")
    compile_value("{$.ITEM}:DATE:0d:%Y")
    compile_condition("not (true)")


@pytest.fixture(autouse=True)
def _nothing_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    def alarm(*given: Any, **more: Any) -> Any:
        raise Alarm(given)

    _warm_up()
    for name in ("eval", "breakpoint", "input", "help"):
        monkeypatch.setattr(builtins, name, alarm, raising=False)
    for place, name in ((os, "system"), (os, "popen"), (os, "execv"), (subprocess, "Popen")):
        monkeypatch.setattr(place, name, alarm)


def _scope() -> ContextScope:
    context = TaskContext(SystemClock())
    context.set(
        ("TASK",), {"ID": "t", "PARAMS": {"a": "x" * 30, "list": [1]}, "DIRECTORY": "/nowhere"}, run=1
    )
    context.set(("JOB", "x"), {"STATUS": "succeeded", "RESULT": {}}, run=1)
    return ContextScope(context, NodeNames({"x"}), item={"a": 1}, index=0)


def test_there_are_more_than_two_hundred() -> None:
    assert len(set(EVERY)) >= 200


@pytest.mark.filterwarnings("ignore:The `|`:DeprecationWarning")
@pytest.mark.parametrize("text", EVERY)
def test_an_escape_gets_nowhere(text: str) -> None:
    scope = _scope()
    started = time.process_time()
    for attempt in (
        lambda: render(compile_value(text), scope).value,
        lambda: render(compile_value(f"a {{{text}}} b"), scope).value,
        lambda: decide(compile_condition(text), scope),
        lambda: decide(compile_condition(f"{{{text}}} == 1"), scope),
        lambda: as_kind(text, "map"),
        lambda: looks_like_condition(text),
    ):
        with suppress(SkerryError):
            _check(attempt(), text)
    assert time.process_time() - started < 3


def _check(value: Any, text: str) -> None:
    """What came out is plain data, and small."""
    if isinstance(value, str):
        assert "<class" not in value
        assert "object at 0x" not in value
        assert "uid=" not in value
        assert len(value) < len(text) + 300
    elif isinstance(value, (list, tuple)):
        for each in value:
            _check(each, text)
    else:
        assert value is None or isinstance(value, (bool, int, float, dict))


@pytest.mark.parametrize("text", CODE)
def test_a_value_that_looks_like_code_is_passed_on_byte_for_byte(text: str) -> None:
    context = TaskContext(SystemClock())
    context.set(("TASK",), {"ID": text}, run=1)
    scope = ContextScope(context, NodeNames(()))
    assert render(compile_value("$.TASK.ID"), scope).value == text
    assert render(compile_value("<{$.TASK.ID}>"), scope).value == f"<{text}>"
    quoted = text.replace("\\", "\\\\").replace("'", "\\'")
    assert decide(compile_condition(f"{{$.TASK.ID}} == '{quoted}'"), scope)[0]
