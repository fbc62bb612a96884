"""shell, command, python and java: what they turn into, and that the result runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from engine.model.codes.expressions import NULL_IN_TEXT
from engine.model.errors import SkerryError
from engine.model.job import Job, JobKeys, Stage
from engine.plugins.job_type import Program
from engine.testing import program_of
from jobs_builtin.command import Command, CommandKeys
from jobs_builtin.java import JAVA_TOO_OLD, NO_JAR, NO_JVM, ONE_OF_BOTH, Java, JavaKeys, version
from jobs_builtin.python import NO_INTERPRETER, Python, PythonKeys
from jobs_builtin.shell import Shell
from tests.effort import effort

needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="no java (apt-get install default-jdk)")


def run(program: Program, directory: Path, **env: str) -> str:
    """What the program prints."""
    assert program.argv is not None
    done = subprocess.run(
        program.argv, cwd=directory, env=os.environ | program.env | env, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_shell_script_needs_no_command_of_its_own(tmp_path: Path) -> None:
    assert program_of(Shell(), tmp_path, "echo hello") == Program(None)


def test_a_command_gets_every_value_as_one_argument(tmp_path: Path) -> None:
    keys = CommandKeys(argv=(sys.executable, "-c", "import sys; print(sys.argv[1:])", 3, 2.0, True, ["a", 1]))

    printed = run(program_of(Command(), tmp_path, settings=keys), tmp_path)

    assert printed == "['3', '2', 'true', '[\"a\",1]']\n"


@settings(max_examples=effort(15, all=30))
@given(value=st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=50))
def test_no_text_changes_on_its_way_into_a_command(
    tmp_path_factory: pytest.TempPathFactory, value: str
) -> None:
    directory = tmp_path_factory.mktemp("command")
    keys = CommandKeys(argv=("printf", "%s.", value))

    program = program_of(Command(), directory, settings=keys)

    assert program.argv == ("printf", "%s.", value)


def test_null_is_no_argument_and_the_error_names_its_place(tmp_path: Path) -> None:
    with pytest.raises(SkerryError) as caught:
        program_of(Command(), tmp_path, settings=CommandKeys(argv=("ls", None)))

    assert caught.value.entry is NULL_IN_TEXT
    assert caught.value.where == "argv[1]"


def test_a_command_without_arguments_at_all_is_no_definition() -> None:
    with pytest.raises(ValidationError):
        CommandKeys(argv=())


def test_a_python_script_runs_with_skerrys_own_interpreter(tmp_path: Path) -> None:
    program = program_of(Python(), tmp_path, "import sys, os; print(sys.executable, os.environ['who'])")

    assert run(program, tmp_path, who="a b") == f"{sys.executable} a b\n"


def test_a_python_script_does_not_see_the_engines_python_variables(tmp_path: Path) -> None:
    (tmp_path / "trap").mkdir()
    (tmp_path / "trap" / "json.py").write_text("print('taken over')")
    program = program_of(Python(), tmp_path, "import json; print(json.dumps(1))")

    assert run(program, tmp_path, PYTHONPATH=str(tmp_path / "trap")) == "1\n"


def test_a_python_job_may_name_another_interpreter(tmp_path: Path) -> None:
    program = program_of(Python(), tmp_path, "print(1)", settings=PythonKeys(python="/opt/py/bin/python"))

    assert program.argv is not None
    assert program.argv[0] == "/opt/py/bin/python"


def test_a_packaged_program_uses_the_python_of_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(shutil, "which", {"python3": "/usr/bin/python3"}.get)

    assert program_of(Python(), tmp_path, "").argv == (
        "/usr/bin/python3", "-u", "-E", str(tmp_path / "executeCode" / "process")
    )  # fmt: skip


def test_a_packaged_program_on_a_machine_without_python_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    monkeypatch.setattr(shutil, "which", lambda name: None)

    with pytest.raises(SkerryError) as caught:
        program_of(Python(), tmp_path, "")

    assert caught.value.entry is NO_INTERPRETER


GREETING = """
public class AnyName {
    public static void main(String[] arguments) {
        System.out.println(String.join("|", arguments) + " " + System.getenv("who"));
    }
}
"""


@needs_java
def test_a_java_source_file_runs_whatever_its_class_is_called(tmp_path: Path) -> None:
    program = program_of(Java(), tmp_path, GREETING, settings=JavaKeys(argv=("a b", 2)))

    assert run(program, tmp_path, who="$(id)") == "a b|2 $(id)\n"


@needs_java
@pytest.mark.skipif(shutil.which("javac") is None, reason="no javac (apt-get install default-jdk)")
def test_a_class_of_a_jar_runs(tmp_path: Path) -> None:
    (tmp_path / "AnyName.java").write_text(GREETING)
    subprocess.run(["javac", "-d", ".", "AnyName.java"], cwd=tmp_path, check=True)
    subprocess.run(["jar", "cfe", "any.jar", "AnyName", "AnyName.class"], cwd=tmp_path, check=True)

    by_itself = program_of(Java(), tmp_path, settings=JavaKeys(jar="any.jar", argv=("x",)))
    by_class = program_of(Java(), tmp_path, settings=JavaKeys(jar="any.jar", main="AnyName"))

    assert run(by_itself, tmp_path, who="me") == "x me\n"
    assert run(by_class, tmp_path, who="me") == " me\n"


def test_without_a_jvm_a_java_job_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)

    with pytest.raises(SkerryError) as caught:
        program_of(Java(), tmp_path, GREETING)

    assert caught.value.entry is NO_JVM


def installed_java(folder: Path, version_line: str) -> Path:
    """A folder that looks like a Java installation."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    (folder / "release").write_text(version_line)
    return java


def test_java_home_among_the_parameters_chooses_the_jvm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    java = installed_java(tmp_path / "jdk", 'JAVA_VERSION="21.0.2"\n')

    program = program_of(Java(), tmp_path, GREETING, {"JAVA_HOME": str(tmp_path / "jdk")})

    assert program.argv is not None
    assert program.argv[:3] == (str(java), "--source", "21")


def test_a_java_too_old_for_source_files_is_refused(tmp_path: Path) -> None:
    installed_java(tmp_path / "jdk", 'JAVA_VERSION="1.8.0_392"\n')

    with pytest.raises(SkerryError) as caught:
        program_of(Java(), tmp_path, GREETING, {"JAVA_HOME": str(tmp_path / "jdk")})

    assert caught.value.entry is JAVA_TOO_OLD


def test_a_jvm_that_does_not_say_its_version_is_taken_for_a_usual_one(tmp_path: Path) -> None:
    java = installed_java(tmp_path / "jdk", "")
    (tmp_path / "jdk" / "release").unlink()

    program = program_of(Java(), tmp_path, GREETING, {"JAVA_HOME": str(tmp_path / "jdk")})

    assert version(str(java)) is None
    assert program.argv is not None
    assert program.argv[2] == "17"


def test_a_missing_jar_is_an_error_with_its_code(tmp_path: Path) -> None:
    installed_java(tmp_path / "jdk", 'JAVA_VERSION="17"\n')

    with pytest.raises(SkerryError) as caught:
        program_of(Java(), tmp_path, None, {"JAVA_HOME": str(tmp_path / "jdk")}, JavaKeys(jar="no.jar"))

    assert caught.value.entry is NO_JAR


@pytest.mark.parametrize(
    ("process", "keys", "wrong"),
    [
        (None, JavaKeys(), True),
        ("class A {}", JavaKeys(jar="a.jar"), True),
        ("class A {}", JavaKeys(main="A"), True),
        ("class A {}", JavaKeys(), False),
        (None, JavaKeys(jar="a.jar", main="A"), False),
    ],
)
def test_a_java_job_has_either_a_source_or_a_jar(process: str | None, keys: JobKeys, wrong: bool) -> None:
    stage = None if process is None else Stage(kind="text", value=process)
    job = Job(id="j", type="java", process=stage, settings=keys)

    codes = [finding.code for finding in Java().check(job)]

    assert codes == ([ONE_OF_BOTH.number] if wrong else [])
