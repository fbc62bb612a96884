"""The ``java`` job type: one source file, or a class of a jar."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any, cast

from engine.model.errors import SkerryError
from engine.model.findings import Finding, error
from engine.model.job import Job, JobKeys
from engine.model.message import Message
from engine.plugins.job_type import Program, ProgramRequest, ProgramType, ResultField, arguments
from jobs_builtin.codes import JAVA_TOO_OLD, NO_JAR, NO_JVM, ONE_OF_BOTH

OLDEST_FOR_SOURCE = 11  # the first Java that runs a source file (JEP 330)
USUAL_VERSION = 17  # assumed of a JVM that does not say its version in its folder


class JavaKeys(JobKeys):
    """``jar`` with ``main``, and ``argv``: the arguments."""

    jar: str | None = None
    main: str | None = None
    argv: tuple[Any, ...] = ()


class Java(ProgramType):
    """The launcher's source mode, or ``-jar``, or ``-cp jar main``."""

    kind = "java"
    label = ("Java program", "Java 程序")
    help = (
        (
            "Runs a Java program: `process` holds one source file (its first class is run, whatever its "
            "name; Java 11 or newer compiles it in memory), or `jar` names a jar, with `main` when "
            "another class than the jar's own is meant. The JVM is that of JAVA_HOME (a parameter of "
            "that name, else the engine's variable), else the `java` on the PATH. Parameters are in "
            '`System.getenv`; results are files in `System.getenv("SKERRY_OUTPUTS")`.'
        ),
        (
            "运行 Java 程序：`process` 中写一个源文件（运行其中的第一个类，类名任意；"
            "由 Java 11 或更高版本在内存中编译），或用 `jar` 指定 jar 文件，"
            "需要运行 jar 中其他类时再用 `main` 指定。"
            "JVM 取自 JAVA_HOME（同名参数，否则为引擎的环境变量），否则使用 PATH 中的 `java`。"
            '参数在 `System.getenv` 中；结果写成 `System.getenv("SKERRY_OUTPUTS")` 中的文件。'
        ),
    )
    keys = JavaKeys
    rendered = frozenset({"jar", "argv"})
    process = "optional"
    results = (ResultField("exit_code", "number", "The exit status of the program.", "程序的退出状态。"),)
    codes = (NO_JVM, JAVA_TOO_OLD, NO_JAR, ONE_OF_BOTH)
    meanings = {
        "jar": (
            "The path of a jar instead of process; may hold expressions.",
            "代替 process 的 jar 文件路径；可以包含表达式。",
        ),
        "main": (
            "The class of the jar to run; without it the one that the jar names.",
            "要运行的 jar 中的类；不给出时使用 jar 自己指明的类。",
        ),
        "argv": (
            "The arguments of the program; elements may hold expressions.",
            "程序的参数；各元素可以包含表达式。",
        ),
    }
    example = """\
type: java
params: {name: harbour}
process: |
  public class Greeting {
      public static void main(String[] arguments) {
          System.out.println("good morning, " + System.getenv("name"));
      }
  }
"""

    def check(self, job: Job) -> Iterable[Finding]:
        """Either source or jar, and no ``main`` without a jar."""
        keys = cast(JavaKeys, job.settings)
        if (job.process is None) == (keys.jar is None):
            yield error(ONE_OF_BOTH, "give either process (one source file) or jar")
        elif keys.main is not None and keys.jar is None:
            yield error(ONE_OF_BOTH, "main names a class of a jar, but there is no jar", ("main",))

    def program(self, request: ProgramRequest) -> Program:
        """The JVM with what it runs. Raises SkerryError: no JVM, too old, no jar, a null argument."""
        keys = cast(JavaKeys, request.settings)
        java = find_java(request)
        what = _jar(request, keys.jar, keys.main) if keys.jar else _source(request, java)
        return Program((java, *what, *arguments(keys.argv)))


def find_java(request: ProgramRequest) -> str:
    """The path of ``java``: JAVA_HOME first, then the PATH. Raises SkerryError when there is none."""
    if not request.here:
        there = request.params.get("JAVA_HOME")
        return f"{there}/bin/java" if there else "java"
    home = request.params.get("JAVA_HOME") or os.environ.get("JAVA_HOME")
    inside = shutil.which(os.path.join(str(home), "bin", "java")) if home else None
    found = inside or shutil.which("java")
    if not found:
        message = "no java on the PATH, and JAVA_HOME is {home}"
        raise SkerryError(NO_JVM, message, home=home or Message.of("not set"))
    return found


def version(java: str) -> int | None:
    """The feature version that the installation's ``release`` file names; None when there is none.

    Read, not asked: ``java -version`` would cost a JVM start for every job.
    """
    try:
        text = (Path(os.path.realpath(java)).parents[1] / "release").read_text("utf-8", "replace")
    except OSError:
        return None
    found = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', text, re.MULTILINE)
    return int(found[1]) if found else None


def _source(request: ProgramRequest, java: str) -> tuple[str, ...]:
    """``--source`` makes the launcher take a file that is not named ``.java``."""
    level = (version(java) if request.here else None) or USUAL_VERSION
    if level < OLDEST_FOR_SOURCE:
        raise SkerryError.at(JAVA_TOO_OLD, "{where} is Java {level}", java, level=level)
    return ("--source", str(level), str(request.script))


def _jar(request: ProgramRequest, jar: str, main: str | None) -> tuple[str, ...]:
    path = request.directory / jar
    if request.here and not (os.access(path, os.R_OK) and path.is_file()):
        raise SkerryError(NO_JAR, "no jar at {path}", where="jar", path=path)
    return ("-cp", str(path), main) if main else ("-jar", str(path))
