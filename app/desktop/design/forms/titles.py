"""The words for the keys and parameters of the built-in types, in both languages."""

from __future__ import annotations

from collections.abc import Mapping

from app.desktop.design.forms.words import Words, as_written

TITLES: Mapping[str, Words] = {
    "argv": ("Command and arguments", "命令及参数"),
    "statement": ("SQL statement", "SQL 语句"),
    "statements": ("SQL statements", "SQL 语句"),
    "resource": ("Resource", "资源"),
    "url": ("Address", "地址"),
    "method": ("Method", "请求方法"),
    "headers": ("Headers", "请求头"),
    "query": ("Query", "查询"),
    "body": ("Body", "请求内容"),
    "json": ("JSON", "JSON"),
    "expect": ("Expected", "预期"),
    "max_rows": ("At most so many rows", "最多行数"),
    "python": ("Interpreter", "解释器"),
    "jar": ("Jar file", "Jar 文件"),
    "main": ("Main class", "主类"),
    "value": ("Decides by", "判断依据"),
    "branches": ("Branches", "分支"),
    "max_loops": ("At most so many rounds", "最多循环次数"),
    "for": ("Wait for", "等待时长"),
    "until": ("Wait until", "等到"),
    "until_true": ("Wait until it holds", "等到条件成立"),
    "every": ("Look every", "检查间隔"),
    "jobs": ("Jobs in order", "按顺序的作业"),
    "task": ("Task", "任务"),
    "wait": ("Wait for its end", "等待其结束"),
    "path": ("Path", "路径"),
    "target": ("Target", "目标"),
    "resume": ("Go on where it broke off", "断点续传"),
    "uri": ("Where it is", "位置"),
    "user": ("User", "用户"),
    "secret": ("Secret", "机密"),
    "timeout": ("Time limit", "时限"),
    "exists": ("Must exist", "必须存在"),
    "readable": ("Must be readable", "必须可读"),
    "min_size": ("At least so big", "最小大小"),
    "max_age": ("At most so old", "最长时间"),
    "min_free": ("Room left on the disk", "磁盘剩余空间"),
    "sha256": ("SHA-256", "SHA-256"),
    "connect": ("Connect", "连接"),
    "table": ("Table", "表"),
    "status": ("Status", "状态码"),
    "contains": ("Contains", "包含文本"),
    "within": ("Answers within", "应答时限"),
    "login": ("Log in", "登录"),
    "files": ("Files", "文件"),
    "separator": ("Separator", "分隔符"),
    "encoding": ("Encoding", "编码"),
    "max_size": ("At most so big", "最大大小"),
    "lines": ("Lines", "行数"),
    "size": ("Size", "大小"),
    "max_files": ("At most so many files", "最多文件数"),
    "max_ratio": ("Highest ratio", "最大压缩比"),
}


def title(name: str) -> Words:
    """The label of a key: known ones in words, others as they are written."""
    return TITLES.get(name) or as_written(name)
