"""Domain 60 of the catalogue: the vault of secrets."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

VAULT_LOCKED = ErrorCode(
    -1_60_01_001_000,
    en=Text(
        "The secrets are locked",
        "A secret was asked for, but nobody has unlocked the secret file.",
        "Give the running engine the passphrase: 'skerry secret unlock', or Admin, Secrets in the window; or set "
        "SKERRY_PASSPHRASE, SKERRY_PASSPHRASE_FILE or SKERRY_KEY_FILE before it starts. Then rerun.",
    ),
    zh=Text(
        "机密库已锁定",
        "需要使用机密，但机密文件尚未解锁。",
        "把口令告诉正在运行的引擎：skerry secret unlock，或窗口中“管理”里的“机密”；"
        "也可在引擎启动前设置 SKERRY_PASSPHRASE、SKERRY_PASSPHRASE_FILE 或 SKERRY_KEY_FILE。然后重新运行。",
    ),
)
WRONG_PASSPHRASE = ErrorCode(
    -1_60_01_002_000,
    en=Text(
        "The passphrase or key file does not open the secrets",
        "It is mistyped, or the secret file was made with another one.",
        "Give the passphrase or key file that was used when the first secret was stored.",
    ),
    zh=Text(
        "口令或密钥文件无法打开机密库",
        "口令输入有误，或机密文件是用另一个口令或密钥文件建立的。",
        "使用存入第一个机密时的口令或密钥文件。",
    ),
    retryable=False,
)
VAULT_DAMAGED = ErrorCode(
    -1_60_01_003_000,
    en=Text(
        "The secret file is damaged or was changed by hand",
        "Its content is not what this program wrote: a disk error, an edit, or a record moved from elsewhere.",
        "Put the file back from a backup, or move it away and store the secrets again.",
    ),
    zh=Text(
        "机密文件已损坏或被人改动",
        "文件内容与程序写入的不一致：磁盘错误、人工编辑，或从别处移入的记录。",
        "从备份恢复该文件，或将其移走后重新存入机密。",
    ),
    retryable=False,
)
SECRET_UNKNOWN = ErrorCode(
    -1_60_01_004_000,
    en=Text(
        "There is no secret of that name",
        "A job or resource names a secret that was never stored here.",
        "Store it with 'skerry secret set NAME', or correct the name; 'skerry secret list' shows the names.",
    ),
    zh=Text(
        "没有该名称的机密",
        "作业或资源引用了此处从未存入的机密。",
        "用 skerry secret set 名称 存入，或更正名称；skerry secret list 可列出所有名称。",
    ),
    retryable=False,
)
SECRET_NAME = ErrorCode(
    -1_60_01_005_000,
    en=Text(
        "That cannot be the name of a secret",
        "Names begin with a letter or _, then letters, digits, dots, _ and -; or are digits; 64 at most.",
        "Choose such a name.",
    ),
    zh=Text(
        "机密名称不合规",
        "名称以字母或 _ 开头，后接字母、数字、点、_ 和 -；或全为数字；最多 64 个字符。",
        "请使用符合要求的名称。",
    ),
    retryable=False,
)
SECRET_VALUE = ErrorCode(
    -1_60_01_006_000,
    en=Text(
        "That cannot be the value of a secret",
        "It is empty, longer than 64 KiB, or not valid text.",
        "Give a text; for more than 64 KiB store a file elsewhere and keep its key as the secret.",
    ),
    zh=Text(
        "机密的值不合规",
        "值为空、超过 64 KiB 或不是有效文本。",
        "请提供文本；超过 64 KiB 的内容请另行存放，仅将其密钥存为机密。",
    ),
    retryable=False,
)
KEY_FILE = ErrorCode(
    -1_60_01_007_000,
    en=Text(
        "The key file or passphrase file cannot be used",
        "It is missing, unreadable, empty or longer than 64 KiB, or it is not text where a passphrase is meant.",
        "Correct the path, and let its owner, and nobody else, read it: chmod 600 FILE.",
    ),
    zh=Text(
        "密钥文件或口令文件不可用",
        "文件不存在、无法读取、为空或超过 64 KiB，或者口令文件的内容不是文本。",
        "更正路径，并只允许所有者读取该文件：chmod 600 文件。",
    ),
    retryable=False,
)
VAULT_UNWRITTEN = ErrorCode(
    -1_60_01_008_000,
    en=Text(
        "The secrets could not be written",
        "The disk is full or not writable, or what was read back was not what was written. "
        "The old file is unchanged.",
        "Make room or correct the permissions of the folder, then store the secret again.",
    ),
    zh=Text(
        "机密未能写入",
        "磁盘已满或不可写，或读回的内容与写入的不一致。原文件未被改动。",
        "腾出空间或更正目录权限，然后重新存入机密。",
    ),
)
VAULT_NEWER = ErrorCode(
    -1_60_01_009_000,
    en=Text(
        "The secret file comes from a newer version",
        "Its format is not known to this program.",
        "Use the newer program, or put an older secret file back.",
    ),
    zh=Text("机密文件来自更新的版本", "本程序不认识其格式。", "使用更新的程序，或恢复旧的机密文件。"),
    retryable=False,
)
VAULT_ALTERED = ErrorCode(
    -1_60_01_010_000,
    en=Text(
        "The secret file was changed by something else",
        "The seal over the whole file does not fit: a record was removed, exchanged, or put back from an "
        "older file, or the file is damaged. No secret is read or changed.",
        "Put the latest file back from a backup. To keep what is there, 'skerry secret accept' shows the "
        "names and takes the file as it is; then store again what is missing or may be outdated.",
    ),
    zh=Text(
        "机密文件被其他程序改动",
        "整个文件的封印不符：有记录被删除、调换或从旧文件放回，或者文件已损坏。不读取也不更改任何机密。",
        "从备份恢复最新的文件。若要保留现有内容，skerry secret accept 会列出名称并按现状接受该文件；"
        "然后重新存入缺失或可能过时的机密。",
    ),
    retryable=False,
)
VAULT_OLDER = ErrorCode(
    -1_60_01_011_000,
    en=Text(
        "The secret file is older than the last change",
        "An earlier file was put back, or one from elsewhere, or secrets.vault.known beside it is missing: it "
        "says which change was the last. No secret is read or changed.",
        "Put the latest file back. If the older one is meant, accept it with 'skerry secret accept'; then "
        "store again what was changed since.",
    ),
    zh=Text(
        "机密文件早于最近一次更改",
        "放回了较早的文件或其他地方的文件，或者旁边记录最近一次更改的 secrets.vault.known 缺失。"
        "不读取也不更改任何机密。",
        "放回最新的文件。若确实要用较早的文件，用 skerry secret accept 接受它；然后重新存入此后更改过的机密。",
    ),
    retryable=False,
)
