"""Why something waits, as the engine says it in short, stable English words, in Chinese."""

from __future__ import annotations

import re

_TIME = r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d[+-]\d\d:\d\d)"
# The first pattern that fits the whole reason; {} stand for its groups, which are data and stay as they are.
_CHINESE: tuple[tuple[str, str], ...] = (
    (r"waits for its turn", "等待轮到"),
    (r"waits (?:for|until) its condition(?: holds)?", "等待条件成立"),
    (r"waits for a (?:free )?place", "等待空闲位置"),
    (r"waits for the end of job instance (\d+), which is exclusive", "等待独占的作业实例 {} 结束"),
    (r"exclusive: waits for the end of what runs", "独占：等待正在运行的作业结束"),
    (r"waits (\S+) s", "等待 {} 秒"),
    (r"waits until (.*)", "等待到 {}"),
    (r"waits for ([^;]*)", "等待 {}"),
    (
        r"(?:the instance is )?paused by rule ([^,]+), waits for an answer: (.*)",
        "被规则 {} 暂停，等待处理：{}",
    ),
    (
        rf"(?:the instance is )?paused with instance (\d+), paused by (.+?) at {_TIME}: (.*)",
        "随实例 {} 暂停，该实例已被 {} 于 {} 暂停：{}",
    ),
    (
        rf"(?:the instance is )?paused with instance (\d+), paused by (.+?) at {_TIME}",
        "随实例 {} 暂停，该实例已被 {} 于 {} 暂停",
    ),
    (r"(?:the instance is )?paused with instance (\d+), paused.*", "随实例 {} 暂停"),
    (rf"(?:the instance is )?paused by (.+?) at {_TIME}: (.*)", "实例已被 {} 于 {} 暂停：{}"),
    (rf"(?:the instance is )?paused by (.+?) at {_TIME}", "实例已被 {} 于 {} 暂停"),
    (r"(?:the instance is )?paused by ([^:]+): (.*)", "实例已被 {} 暂停：{}"),
    (r"(?:the instance is )?paused by ([^:]+)", "实例已被 {} 暂停"),
    (r"(?:the instance is )?paused", "实例已暂停"),
    (r"its (ready|end) stage is done by other jobs", "其 {} 阶段由其他作业执行"),
    (r"its outcome is looked for later", "稍后检查其结果"),
    (r"its outcome is looked for again at (.*)", "将于 {} 再次检查其结果"),
    (r"its outcome is looked for", "正在检查其结果"),
    (r"the worker still runs this job", "执行主机仍在运行该作业"),
    (r"its worker is busy; tried again at (.*)", "执行主机忙，将于 {} 重试"),
    (r"its worker is busy", "执行主机忙"),
    (r"no worker is there; tried again at (.*)", "没有可用的执行主机，将于 {} 重试"),
    (r"no worker is there to run it", "没有可用的执行主机"),
    (r"will be tried again at (.*)", "将于 {} 重试"),
    (r"will be tried again", "将会重试"),
    (r"tried again in (\S+) s by rule ([^:]+): (.*)", "{} 秒后按规则 {} 重试：{}"),
    (r"tried again in (\S+) s after rule (\S+) has set (.*)", "{} 秒后重试，规则 {} 已设置 {}"),
    (r"tried again in (\S+) s: (.*)", "{} 秒后重试：{}"),
    (r"tried again in (\S+) s", "{} 秒后重试"),
    (r"recovery (\d+) of (\d+): tried again in (\S+) s: (.*)", "第 {} 次恢复（共 {} 次）：{} 秒后重试：{}"),
    (r"rule ([^:]+): (.*)", "规则 {}：{}"),
    (r"(.*); waits for it, or for an answer", "{}；等待其可用，或等待处理"),
    (r"by hand: (.*)", "人工处理：{}"),
    (r"an empty batch", "空批次"),
    (r"its inputs differ: (.*)", "输入不同：{}"),
    (r"its definition differs", "定义不同"),
    (r"it did not run at the site", "在现场没有运行"),
    (r"it did not run so often at the site", "在现场没有运行这么多次"),
)


def in_chinese(reason: str) -> str:
    """The reason in Chinese; one that nobody has translated stays as it is.

    >>> in_chinese("waits for load, index"), in_chinese("tried again in 5 s: exit status 3")
    ('等待 load, index', '5 秒后重试：exit status 3')
    """
    for pattern, told in _CHINESE:
        found = re.fullmatch(pattern, reason, re.DOTALL)
        if found:
            return told.format(*found.groups())
    return reason
