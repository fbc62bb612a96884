"""Words that people type where the product has another one: the guide and the locator find by both; no Qt."""

from __future__ import annotations

_OURS = {
    "重跑": "重新执行", "再跑": "重新执行", "重新运行": "重新执行", "restart": "rerun",
    "补跑": "补数", "回填": "补数", "槽位": "执行位", "工作机": "执行主机", "节点机": "执行主机",
}  # fmt: skip


def wordings(word: str) -> tuple[str, ...]:
    """What to look for: the word itself, then what the product calls the same."""
    return (word, _OURS[word]) if word in _OURS else (word,)
