"""The message of a failure, which the engine writes in English, as readers of Chinese see it."""

from __future__ import annotations

import ast
import json

import pytest

from app.failure_words import failure_words, with_failure_words
from app.texts import catalogue as catalogue_of_texts
from app.wiring import catalogue
from engine.execution.outcomes import Exit, failure_of
from engine.model.codes.runtime import CANCELLED
from engine.model.errors import SkerryError
from engine.model.expression.values import as_kind
from engine.model.job import ParamSpec
from engine.model.message import Message
from engine.model.quantities import Kind as ParamKind
from engine.model.reason import Kind, Reason
from engine.model.reason_words import message_of, words
from engine.model.task import Task
from engine.runtime.jobs.stop_outcome import cancelled
from engine.runtime.submission import Submission, given_params
from tests.texts.source import ROOT

FIND = catalogue({}).find


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (3, "退出状态 3"),
        (126, "退出状态 126：命令不可执行"),
        (127, "退出状态 127：找不到命令"),
        (137, "被信号 9（SIGKILL）终止"),
    ],
)
def test_how_a_program_ended_is_said_in_chinese(status: int, said: str) -> None:
    failure = failure_of(Exit.of(status))

    assert failure is not None
    assert failure_words(failure.code, failure.message, "zh_CN", FIND) == said
    assert failure_words(failure.code, failure.message, "en", FIND) == failure.message


LOAD_FAILED = Message.of(
    "job {name!r}: {message}", name="load[2]", message=Message.of("exit status {n}", n=3)
)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        (Message.of("cancelled by {who}", who="ann"), "已被 ann 取消"),
        (
            Message.of("it took longer than its timeout of {seconds:g} s", seconds=0.3),
            "运行超过了超时时间 0.3 秒",
        ),
        (
            Message.of(
                "recovery {count} of {limit}: tried again in {seconds:g} s", count=1, limit=3, seconds=60
            ),
            "第 1 次恢复（共 3 次）：60 秒后重试",
        ),
        (LOAD_FAILED, "作业 'load[2]'：退出状态 3"),
        (
            Message.of("{job}: {message}; it waits on", job=Message.of("stopped"), message=LOAD_FAILED),
            "已停止：作业 'load[2]'：退出状态 3；继续等待",
        ),
        (Message.of("discarded"), "已丢弃"),
        ("stopped\nby {nobody}", "stopped\nby {nobody}"),
    ],
)
def test_a_message_of_the_engine_is_chinese_with_its_facts(message: str, said: str) -> None:
    assert failure_words(None, message, "zh") == said
    assert failure_words(None, message, "en") == message


def test_what_its_code_means_goes_before_a_message_that_has_no_translation_never_into_one() -> None:
    title = CANCELLED.zh.title
    passed_on = Message.of("job {name!r}: {message}", name="a", message=Message.of("own words"))

    assert failure_words(CANCELLED.number, "own words", "zh", FIND) == f"{title}：own words"
    assert failure_words(CANCELLED.number, passed_on, "zh", FIND) == "作业 'a'：own words"
    assert failure_words(-19900001000, "own words", "zh", FIND) == "own words"


def test_what_the_system_says_of_an_error_is_chinese_within_the_message() -> None:
    missing = Message.of("{error}: {where}", error="No such file or directory", where="/in.csv")
    other = Message.of("{error}: {where}", error="own words", where="No such file or directory")

    assert failure_words(None, missing, "zh") == "没有该文件或目录：/in.csv"
    assert failure_words(None, other, "zh") == "own words：No such file or directory"


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("number", "'abc' 不是数字"),
        ("boolean", "'abc' 不是布尔值"),
        ("list", "'abc' 不是列表"),
        ("map", "'abc' 不是映射"),
    ],
)
def test_the_kind_that_a_value_does_not_fit_is_named_in_chinese(kind: ParamKind, said: str) -> None:
    with pytest.raises(SkerryError) as refused:
        as_kind("abc", kind)

    assert failure_words(refused.value.code, refused.value.message, "zh", FIND) == said


@pytest.mark.parametrize(("kind", "said"), [("file", "'' 不是文件"), ("document", "'' 不是文档")])
def test_an_empty_path_is_refused_in_chinese(kind: ParamKind, said: str) -> None:
    with pytest.raises(SkerryError) as refused:
        as_kind("", kind)

    assert failure_words(refused.value.code, refused.value.message, "zh", FIND) == said


@pytest.mark.parametrize(
    ("params", "said"),
    [({}, "任务 't' 没有参数 'x'（已有：无）"), ({"y": ParamSpec()}, "任务 't' 没有参数 'x'（已有：y）")],
)
def test_a_parameter_that_the_task_lacks_is_refused_in_chinese(
    params: dict[str, ParamSpec], said: str
) -> None:
    with pytest.raises(SkerryError) as refused:
        given_params(Task(id="t", params=params), Submission("t", params={"x": 1}))

    assert failure_words(refused.value.code, refused.value.message, "zh", FIND) == said


def test_beside_the_title_of_its_code_the_message_stays_as_it_is() -> None:
    assert failure_words(CANCELLED.number, "own words", "zh") == "own words"


@pytest.mark.parametrize(
    "tree",
    [
        {"template": "exit status {n.__class__}", "facts": {"n": 3}},
        {"template": "exit status {n}", "facts": {"m": 3}},
        {"template": "not finished within {seconds:g} s", "facts": {"seconds": "soon"}},
        {"template": "exit status {n}", "facts": ["n"]},
        {"template": 3, "facts": {"n": 3}},
        "exit status {n}",
    ],
)
def test_facts_that_do_not_fit_leave_the_text_as_it_is(tree: object) -> None:
    message = Message.read(tree, "what it says")

    assert failure_words(None, message, "zh") == "what it says"


def test_the_failure_within_a_reason_is_chinese_too() -> None:
    failed = Message.of("exit status {n}", n=3)
    reason = Reason.of(Kind.RETRY, seconds=5, message=failed, at="10:00", attempt=2, of=5)

    kept = Reason.read(json.loads(json.dumps(reason.to_json())), None)

    assert kept
    assert kept.facts["message"] == "exit status 3"
    assert words(with_failure_words(kept, "zh"), "zh").endswith("：退出状态 3")
    assert with_failure_words(Reason(Kind.SLOT), "zh") == Reason(Kind.SLOT)


def test_what_the_jobs_of_an_instance_say_is_in_the_language_of_the_reader_with_its_failures() -> None:
    stopped = Reason.of(Kind.BEING_STOPPED, message=cancelled("ann").message)
    said = Reason.of(Kind.OF_JOBS, text="", jobs=[{"name": "load", "why": stopped.to_json()}])

    assert words(with_failure_words(said, "zh"), "zh") == "load: 正在停止：已被 ann 取消"
    assert words(with_failure_words(said, "en"), "en") == "load: being stopped: cancelled by ann"


def test_a_reason_within_a_failure_is_worded_with_all_that_is_known_also_after_it_was_kept() -> None:
    nobody = Reason.of(Kind.NO_WORKER, names=["w1 (not registered)"], workers=[
        {"name": "w1", "why": Reason(Kind.NOT_REGISTERED).to_json()}
    ])  # fmt: skip
    message = Message.of("it waits: {message}", message=message_of(nobody))

    kept = Message.read(json.loads(json.dumps(message.to_json())), str(message))

    assert str(kept) == "it waits: no worker is there to run it: w1 (not registered)"
    assert failure_words(None, kept, "zh") == "等待中：没有可用的执行主机：w1（未登记）"


def test_the_failure_within_a_reason_within_a_failure_is_worded_too_and_so_are_its_times() -> None:
    unreached = Message.of("{where} cannot be reached: {error}", where="build", error="Connection refused")
    away = Reason.of(Kind.REACHED_NO_MORE, at="10:00", message=unreached)
    nobody = Reason.of(Kind.NO_WORKER, workers=[{"name": "w1", "why": away.to_json()}])
    message = Message.of("it waits: {message}", message=message_of(nobody))

    said = failure_words(None, message, "zh", time=lambda text: f"<{text}>")

    assert said == "等待中：没有可用的执行主机：w1（自 <10:00> 起无法联系：无法连接 build：连接被拒绝）"


@pytest.mark.parametrize("fact", [None, 3, "x", {"kind": "none"}, {"kind": "slot", "holders": 3}, [1]])
def test_what_is_no_reason_within_a_failure_leaves_the_text_as_it_is(fact: object) -> None:
    message = Message.read({"template": "{reason}", "facts": {"reason": fact}}, "what it says")

    assert failure_words(None, message, "zh") == "what it says"


# what makes a message of a failure, and which of its arguments is the template or the text
MAKERS = {
    "Message.of": 0,
    "Failure.new": 1,
    "passed_on": 0,
    "handled": -1,
    "failures.alert": 3,
    "Lost": 0,
    "_lost": 0,
}


def _made_by(call: ast.Call) -> str:
    of, whole = call.func, ast.unparse(call.func)
    return whole if whole in MAKERS else of.attr if isinstance(of, ast.Attribute) else whole


def _literals(value: ast.expr, assigned: dict[str, set[str]]) -> set[str]:
    """The texts in an expression, also of the names in it that stand for texts in this module."""
    found: set[str] = set()
    for each in ast.walk(value):
        if isinstance(each, ast.Constant) and isinstance(each.value, str):
            found.add(each.value)
        if isinstance(each, ast.Name):
            found |= assigned.get(each.id, set())
    return found


def _assigned(module: ast.Module) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for each in ast.walk(module):
        match each:
            case (
                ast.Assign(targets=[ast.Name(id=name)], value=value)
                | ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value)
            ) if name.lower().strip("_") in TEXTS:
                found.setdefault(name, set()).update(_literals(value, {}))
    return found


TEXTS = {"template", "message", "problems", "statuses", "restarted", "failed", "failed_within"}


def _templates() -> set[str]:
    """The templates and texts that the engine gives to what makes messages of failures."""
    found: set[str] = set()
    for place in ("runtime", "execution"):
        for path in (ROOT / "engine" / place).rglob("*.py"):
            module = ast.parse(path.read_text("utf-8"))
            for call in (each for each in ast.walk(module) if isinstance(each, ast.Call)):
                at = MAKERS.get(_made_by(call), len(call.args))
                if at < len(call.args):
                    found |= _literals(call.args[at], _assigned(module))
    return found - {""}


def test_every_message_of_a_failure_has_its_chinese() -> None:
    known = catalogue_of_texts("zh", "failures*")

    assert {
        "cancelled by {who}",
        "exit status {n}",
        "its end was not seen",
        "it wrote {found:,} bytes, {most:,} may be (limits.output)",
        "task {task!r} (instance {instance}): … {message}",
        "the worker refuses it no longer",
    } <= _templates()
    assert _templates() - known.keys() == set()
