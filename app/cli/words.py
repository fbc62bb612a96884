"""The words of the command line in Chinese; what has none stays as it is (documents are English always)."""

from __future__ import annotations

from collections.abc import Sequence

_CHINESE = {
    # heads and names of facts
    "instance": "实例",
    "task": "任务",
    "run": "运行",
    "trigger": "触发方式",
    "status": "状态",
    "scheduled": "计划时间",
    "started": "开始",
    "ended": "结束",
    "took": "用时",
    "remark": "说明",
    "params": "参数",
    "results": "结果",
    "definition": "定义",
    "edited": "已修改",
    "directory": "目录",
    "node": "节点",
    "attempt": "尝试",
    "job": "作业",
    "job instance": "作业实例",
    "worker": "执行主机",
    "pid": "进程号",
    "exit code": "退出码",
    "based on edit": "基于修改的值",
    "reason": "原因",
    "logs": "日志",
    "error": "错误",
    "what": "含义",
    "cause": "原因",
    "remedy": "处理办法",
    "worth a retry": "值得重试",
    "extra part": "补充部分",
    "code": "错误码",
    "yes": "是",
    "no, it would fail again": "否，重试仍会失败",
    "(exit status, signal or HTTP status)": "（退出状态、信号或 HTTP 状态）",
    "from a file": "来自文件",
    "revision": "版本",
    "cannot be verified to be stopped, because": "无法确认已全部停止，因为",
    "stopped, unverified": "停止未确认",
    "ran on edited values": "使用了修改过的值",
    # states
    "planned": "已计划",
    "waiting": "等待中",
    "running": "运行中",
    "paused": "已暂停",
    "succeeded": "成功",
    "failed": "失败",
    "cancelled": "已取消",
    "timed_out": "超时",
    "skipped": "已跳过",
    "offline": "已下线",
    "lost": "结果未知",
    "pending": "未轮到",
    "queued": "排队中",
    "no_worker": "无执行主机",
    "busy": "主机忙",
    "checking": "检查中",
    "retrying": "待重试",
    "discarded": "已放弃",
    # what made an instance
    "manual": "手动",
    "schedule": "定时",
    "backfill": "补跑",
    "retry": "重试",
    "condition": "条件",
    "subtask": "子任务",
    # why something did not run
    "not run: {} failed": "未执行：{} 失败",
    "not needed: nothing failed": "不需要：没有失败",
    "skipped: all that it comes after was skipped": "已跳过：其前置节点都已跳过",
    "skipped: {} took another branch": "已跳过：{} 走了另一分支",
    "skipped: its 'when' does not hold": "已跳过：when 条件不成立",
    "not run: the run was stopped": "未执行：运行已停止",
    "switched off": "已停用",
    "not part of this rerun": "不在本次重新执行之列",
    "what it comes after": "前置节点",
}


def say(text: str, language: str) -> str:
    """A word or a sentence in a language.

    >>> say("node", "zh"), say("node", "en"), say("something else", "zh")
    ('节点', 'node', 'something else')
    """
    if language != "zh":
        return text
    from app.cli.sentences import CHINESE

    return _CHINESE.get(text) or CHINESE.get(text, text)


def say_all(texts: Sequence[str], language: str) -> list[str]:
    """The heads of a table."""
    return [say(text, language) for text in texts]


def state(word: str, language: str) -> str:
    """A state; in Chinese with the word that options and programs use.

    >>> state("failed", "zh")
    '失败 failed'
    """
    told = say(word, language)
    return word if told == word else f"{told} {word}"
