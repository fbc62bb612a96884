"""Domain 50 of the catalogue: bundles, their keys, exports and cases."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

NOT_A_BUNDLE = ErrorCode(
    -1_50_00_001_000,
    en=Text(
        "This is not a bundle",
        "There is no file or folder of that name, or it has no BUNDLE.json.",
        "Give the folder (or the one file) that 'skerry export' wrote; if it was spread over several media, give all.",
    ),
    zh=Text(
        "这不是数据包",
        "没有该名称的文件或文件夹，或其中没有 BUNDLE.json。",
        "请指定 skerry export 写出的文件夹（或单个文件）；若分放在多个介质上，请全部给出。",
    ),
    retryable=False,
)
DAMAGED = ErrorCode(
    -1_50_00_002_000,
    en=Text(
        "The bundle is damaged or was changed",
        "A part of it is not what was written: a bad medium, a copy that was broken off, or somebody's change.",
        "Copy it again and compare with 'skerry bundle verify'; if it stays, ask for a new one.",
    ),
    zh=Text(
        "数据包已损坏或被改动",
        "其中一部分与写入时不一致：介质损坏、复制中断，或被人改动。",
        "重新复制并用 skerry bundle verify 检查；若仍然如此，请对方重新导出。",
    ),
    retryable=False,
)
BREAKS_RULES = ErrorCode(
    -1_50_00_003_000,
    en=Text(
        "The bundle breaks the rules of its format",
        "It has names, sizes or structures that no Skerry writes. It may have been made to do harm. Nothing of it was kept.",
        "Do not use it. Ask whoever sent it how it was made.",
    ),
    zh=Text(
        "数据包违反格式规则",
        "其中的名称、大小或结构不可能由 Skerry 写出，可能是恶意制作的。没有保留其中任何内容。",
        "请勿使用。向发送者询问它是如何生成的。",
    ),
    retryable=False,
)
NEWER_FORMAT = ErrorCode(
    -1_50_00_004_000,
    en=Text(
        "The bundle has a format that this program does not know",
        "It was written by a newer Skerry.",
        "Open it with a Skerry of that version or later.",
    ),
    zh=Text("数据包的格式未知", "它由更新版本的 Skerry 写出。", "请用该版本或更高版本的 Skerry 打开。"),
    retryable=False,
)
NOT_FOR_US = ErrorCode(
    -1_50_00_005_000,
    en=Text(
        "The bundle is encrypted to somebody else",
        "None of the keys of this workspace opens it.",
        "Open it in the workspace whose key it was written to ('skerry keys show' there), or have it exported anew with --to.",
    ),
    zh=Text(
        "数据包是加密给他人的",
        "本工作区的任何密钥都无法打开它。",
        "在其收件密钥所在的工作区打开（在那里执行 skerry keys show），或请对方用 --to 重新导出。",
    ),
    retryable=False,
)
LOST = ErrorCode(
    -1_50_00_006_000,
    en=Text(
        "A part of the bundle is lost",
        "A volume is missing or damaged, so the files in it cannot be read. All others can.",
        "Add the missing volume (give all media), or copy the damaged one again.",
    ),
    zh=Text(
        "数据包的一部分已丢失",
        "某个分卷缺失或损坏，其中的文件无法读取；其余文件不受影响。",
        "补上缺失的分卷（给出所有介质），或重新复制损坏的分卷。",
    ),
)
TARGET = ErrorCode(
    -1_50_00_007_000,
    en=Text(
        "The bundle cannot be written there",
        "Something of that name is already there, the folder is missing or not writable, or the medium was removed.",
        "Choose another name or put the medium back, then export again: what is already on it is not written twice.",
    ),
    zh=Text(
        "无法在该处写入数据包",
        "已存在同名内容、文件夹不存在或不可写，或介质已被拔出。",
        "换一个名称或插回介质后再次导出：已写入的内容不会重复写入。",
    ),
)
NAME = ErrorCode(
    -1_50_00_008_000,
    en=Text(
        "That cannot be the name of a file in a bundle",
        "Names are relative, with / between parts, without '..', control characters or names that some systems reserve, "
        "and no two may differ in case alone.",
        "Give another name.",
    ),
    zh=Text(
        "数据包中的文件名不合规",
        "名称须为相对路径，以 / 分隔，不含 “..”、控制字符或某些系统的保留名，且不得仅大小写不同。",
        "请使用其他名称。",
    ),
    retryable=False,
)
NO_SUCH_FILE = ErrorCode(
    -1_50_00_009_000,
    en=Text(
        "The bundle has no such file",
        "The name is mistyped, or the file was left out; the bundle lists what was left out and why.",
        "Look at the list with 'skerry bundle inspect'.",
    ),
    zh=Text(
        "数据包中没有该文件",
        "名称有误，或该文件未被收入；数据包列出了未收入的内容及原因。",
        "用 skerry bundle inspect 查看清单。",
    ),
    retryable=False,
)
TOO_LARGE = ErrorCode(
    -1_50_00_010_000,
    en=Text(
        "A file of the bundle is larger than what is read at once",
        "The limit protects the memory of this computer.",
        "Import the bundle and look at the file there.",
    ),
    zh=Text("数据包中的文件超出一次读取的上限", "该上限用于保护本机内存。", "导入数据包后再查看该文件。"),
    retryable=False,
)
UNTRUSTED = ErrorCode(
    -1_50_01_001_000,
    en=Text(
        "The bundle is not signed by a key that is trusted here",
        "It is unsigned, or its signer is not among the trusted keys of this workspace. Nothing in it was read.",
        "Compare the fingerprint with the sender by phone, then 'skerry keys trust'; or ask for a signed bundle.",
    ),
    zh=Text(
        "数据包未由本处信任的密钥签名",
        "它没有签名，或签名者不在本工作区的信任列表中。其中的内容未被读取。",
        "与发送者电话核对指纹后执行 skerry keys trust；或请对方提供签名的数据包。",
    ),
    retryable=False,
)
SIGNATURE_WRONG = ErrorCode(
    -1_50_01_002_000,
    en=Text(
        "The signature of the bundle does not fit",
        "The bundle was changed after it was signed, or the signature belongs to something else.",
        "Do not use it; ask for a new one.",
    ),
    zh=Text(
        "数据包的签名不符",
        "数据包在签名后被改动，或该签名属于其他内容。",
        "请勿使用；请对方重新提供。",
    ),
    retryable=False,
)
REVOKED = ErrorCode(
    -1_50_01_003_000,
    en=Text(
        "The key that signed the bundle was revoked",
        "Somebody here declared the key invalid: it was replaced, lost or stolen.",
        "Ask for a bundle signed with the sender's present key.",
    ),
    zh=Text(
        "签署数据包的密钥已被吊销",
        "本处已声明该密钥无效：已更换、遗失或被盗。",
        "请对方用当前密钥签名后重新提供。",
    ),
    retryable=False,
)
REPLACED = ErrorCode(
    -1_50_01_004_000,
    en=Text(
        "The key that signed the bundle had been replaced",
        "It was signed after its owner took a new key: what the old one signs from then on is not believed.",
        "Ask for a bundle signed with the sender's present key; trust that one with its card.",
    ),
    zh=Text(
        "签署数据包的密钥已被替换",
        "签名时间晚于其所有者启用新密钥的时间：此后旧密钥的签名不再被信任。",
        "请对方用当前密钥签名后重新提供，并用其密钥卡信任该密钥。",
    ),
    retryable=False,
)
NOT_ALLOWED = ErrorCode(
    -1_50_01_005_000,
    en=Text(
        "The key that signed the bundle may not send this here",
        "A key is trusted in a role: a site sends bundles and receipts, support sends fixes, an author sends deliveries; "
        "its scope may narrow that to sites and projects. A key that was trusted before there were roles may send nothing "
        "that changes this site.",
        "See 'skerry keys list'. If its owner shall do this here: 'skerry keys trust NAME --role support' (or author, site).",
    ),
    zh=Text(
        "签署数据包的密钥无权在此发送该内容",
        "密钥按角色受信任：站点（site）发送数据包和回执，支持（support）发送修复包，作者（author）发送交付包；"
        "其范围还可限定站点和项目。在引入角色之前信任的密钥不得发送任何会改变本站点的内容。",
        "用 skerry keys list 查看。若确应由其所有者执行：skerry keys trust 名称 --role support（或 author、site）。",
    ),
    retryable=False,
)
KEY_UNKNOWN = ErrorCode(
    -1_50_02_001_000,
    en=Text(
        "There is no such key here",
        "No trusted key has that name or fingerprint.",
        "See 'skerry keys list'; add one with 'skerry keys trust FILE'.",
    ),
    zh=Text(
        "此处没有该密钥",
        "没有该名称或指纹的受信任密钥。",
        "用 skerry keys list 查看；用 skerry keys trust FILE 添加。",
    ),
    retryable=False,
)
KEY_TEXT = ErrorCode(
    -1_50_02_002_000,
    en=Text(
        "That is not a key",
        "Expected is a key card ('skerry keys export'), a line 'age1…' or 'ssh-ed25519 …', the name of a trusted key, "
        "or a file with one of these.",
        "Give one of these; private keys belong nowhere but in their own workspace.",
    ),
    zh=Text(
        "这不是密钥",
        "应为密钥卡（skerry keys export）、一行 age1… 或 ssh-ed25519 …、受信任密钥的名称，或含有其中之一的文件。",
        "请提供其中之一；私钥只应保存在其所属的工作区。",
    ),
    retryable=False,
)
KEYS_DAMAGED = ErrorCode(
    -1_50_02_003_000,
    en=Text(
        "The keys of this workspace cannot be read",
        "A file in the folder keys is damaged, was changed by hand, or cannot be read.",
        "Put the folder back from a backup. Without one move it away: new keys are made, and their fingerprint must be compared anew.",
    ),
    zh=Text(
        "无法读取本工作区的密钥",
        "keys 文件夹中的文件已损坏、被人改动或无法读取。",
        "从备份恢复该文件夹。若无备份，请将其移走：程序会生成新密钥，其指纹须重新核对。",
    ),
    retryable=False,
)
KEY_TAKEN = ErrorCode(
    -1_50_02_004_000,
    en=Text(
        "That name belongs to another key, or the key was revoked",
        "Names of trusted keys are unique, and a revoked key never becomes valid again.",
        "Choose another name; after a theft trust the sender's new key.",
    ),
    zh=Text(
        "该名称属于另一密钥，或该密钥已被吊销",
        "受信任密钥的名称不得重复，已吊销的密钥不能恢复。",
        "换一个名称；若密钥失窃，请信任发送者的新密钥。",
    ),
    retryable=False,
)
CARD_UNWRITTEN = ErrorCode(
    -1_50_02_005_000,
    en=Text(
        "The key card cannot be written there",
        "Something else stands there, or the folder is missing, full or may not be written to.",
        "Choose another place for it: 'skerry keys export -o FILE'.",
    ),
    zh=Text(
        "无法在该处写入密钥卡",
        "该处已有其他内容，或文件夹不存在、已满、不允许写入。",
        "请换一个位置：skerry keys export -o FILE。",
    ),
    retryable=False,
)
ROLE_NEEDED = ErrorCode(
    -1_50_02_006_000,
    en=Text(
        "It must be said in which role a key is trusted",
        "The role decides what its owner may send: 'site' bundles and receipts, 'support' fixes, 'author' deliveries.",
        "Add --role site, --role support or --role author; it may be repeated.",
    ),
    zh=Text(
        "必须指明以何种角色信任密钥",
        "角色决定其所有者可以发送的内容：site 为数据包和回执，support 为修复包，author 为交付包。",
        "请加上 --role site、--role support 或 --role author；可重复使用。",
    ),
    retryable=False,
)
SCOPE_WRONG = ErrorCode(
    -1_50_02_007_000,
    en=Text(
        "That cannot be the scope of a key",
        "A scope narrows what a role allows: to sites (by fingerprint), to projects, to some of what it may send.",
        "Write --scope site=SHA256:…, --scope project=NAME or --scope may=fix (bundle, fix, delivery, receipt).",
    ),
    zh=Text(
        "密钥范围无效",
        "范围用于缩小角色的权限：限定站点（按指纹）、项目，或可发送内容的一部分。",
        "请写 --scope site=SHA256:…、--scope project=名称 或 --scope may=fix（bundle、fix、delivery、receipt）。",
    ),
    retryable=False,
)
NOTHING_CHOSEN = ErrorCode(
    -1_50_03_001_000,
    en=Text(
        "There is nothing to export",
        "Neither the database nor the directories know of such an instance or node.",
        "See 'skerry list' and 'skerry show INSTANCE'.",
    ),
    zh=Text(
        "没有可导出的内容",
        "数据库和目录中都没有该实例或节点。",
        "用 skerry list 和 skerry show 实例 查看。",
    ),
    retryable=False,
)
SECRET_FOUND = ErrorCode(
    -1_50_03_002_000,
    en=Text(
        "A secret was found in the finished bundle",
        "The second look at the bundle found a stored secret that the first one had left. The bundle was deleted.",
        "Report this with the file and line named in the message (they hold no secret), or leave that file out.",
    ),
    zh=Text(
        "在写好的数据包中发现了机密",
        "第二次检查发现了第一次遗漏的已存机密，数据包已删除。",
        "请按消息中的文件和行号报告（其中不含机密），或不收入该文件。",
    ),
    retryable=False,
)
CANCELLED = ErrorCode(
    -1_50_03_003_000,
    en=Text(
        "The export was cancelled",
        "Somebody asked for that. There is no bundle.",
        "Export again when you want it.",
    ),
    zh=Text("导出已取消", "应要求取消，没有生成数据包。", "需要时再次导出。"),
)
SECRETS_CLOSED = ErrorCode(
    -1_50_03_004_000,
    en=Text(
        "The secrets cannot be taken out, because they cannot be read",
        "What must not leave the site is known from the secret file, and that is locked or damaged.",
        "Unlock it (SKERRY_PASSPHRASE, SKERRY_PASSPHRASE_FILE or SKERRY_KEY_FILE), or export with --no-redact if nothing secret can be in there.",
    ),
    zh=Text(
        "无法读取机密，因而无法将其去除",
        "不得外传的内容取自机密文件，而该文件已锁定或损坏。",
        "解锁机密文件（SKERRY_PASSPHRASE、SKERRY_PASSPHRASE_FILE 或 SKERRY_KEY_FILE）；若确定不含机密，可用 --no-redact 导出。",
    ),
)
CASE_TAKEN = ErrorCode(
    -1_50_04_001_000,
    en=Text(
        "There is already a case of that name",
        "This bundle, or another one, was imported under it.",
        "Open that case, or import under another name with --name.",
    ),
    zh=Text(
        "已有同名的案例",
        "该数据包或另一个数据包已用此名导入。",
        "打开该案例，或用 --name 以其他名称导入。",
    ),
    retryable=False,
)
NO_CASE = ErrorCode(
    -1_50_04_002_000,
    en=Text(
        "This is not a case",
        "The folder was not made by 'skerry bundle import', or its import was broken off.",
        "Import the bundle again.",
    ),
    zh=Text("这不是案例", "该文件夹不是由 skerry bundle import 生成的，或导入曾中断。", "请重新导入数据包。"),
    retryable=False,
)
WRONG_KIND = ErrorCode(
    -1_50_04_003_000,
    en=Text(
        "A bundle of that kind is not imported this way",
        "Only diagnostic bundles become cases.",
        "For a fix use 'skerry fix preview', for a delivery its own import.",
    ),
    zh=Text(
        "此类数据包不能这样导入",
        "只有诊断数据包会成为案例。",
        "修复包请用 skerry fix preview，交付包请用其自身的导入。",
    ),
    retryable=False,
)
CASE_READ_ONLY = ErrorCode(
    -1_50_04_004_000,
    en=Text(
        "A case is for reading only",
        "It is the record of another site; nothing is run or changed in it.",
        "Use your own workspace for that.",
    ),
    zh=Text("案例是只读的", "它是另一站点的记录，不能在其中运行或更改任何内容。", "请使用自己的工作区。"),
    retryable=False,
)
CASE_NAME = ErrorCode(
    -1_50_04_005_000,
    en=Text(
        "That cannot be the name of a case",
        "A name has at most 60 letters and digits of any script, '_', '-' and '.', begins with none of the last two, and is not one "
        "that some systems reserve.",
        "Give another name with --name.",
    ),
    zh=Text(
        "案例名称不合规",
        "名称最多 60 个字符，可用任何文字的字母和数字以及 _、-、.，不得以 - 或 . 开头，也不得是某些系统的保留名。",
        "用 --name 指定其他名称。",
    ),
    retryable=False,
)
CASE_DAMAGED = ErrorCode(
    -1_50_04_006_000,
    en=Text(
        "What a case says of itself cannot be read",
        "Its file case.json or files.json is missing, damaged, or may not be read by this user.",
        "Import the bundle again under another name (skerry bundle import FILE --name NAME), then delete the folder that is named. "
        "The other cases are not concerned.",
    ),
    zh=Text(
        "无法读取案例自身的说明",
        "其文件 case.json 或 files.json 缺失、损坏，或当前用户无权读取。",
        "请以其他名称重新导入数据包（skerry bundle import FILE --name NAME），然后删除所指的文件夹。其他案例不受影响。",
    ),
    retryable=False,
)
TOO_MUCH = ErrorCode(
    -1_50_01_020_000,
    en=Text(
        "A bundle unpacks to more than one of its size may",
        "It names far more files, folders, rows or bytes than an export of this size has; such bundles are made "
        "to fill memory and disk.",
        "Do not import it. If it is an honest one, have it exported again with fewer or shorter logs.",
    ),
    zh=Text(
        "数据包解开后的内容远超其大小",
        "其中的文件、目录、行或字节远多于同样大小的正常导出；这类数据包意在耗尽内存和磁盘。",
        "请勿导入。若确为正常数据包，请让对方减少或缩短日志后重新导出。",
    ),
    retryable=False,
)
NO_MEMORY = ErrorCode(
    -1_50_01_021_000,
    en=Text(
        "There is not enough memory to read the bundle",
        "The system gave no more memory, for data or for a thread; a limit of this user or of a container may be low.",
        "Close other programs or raise the limit (ulimit -v, -d; the container's memory), then try again. Nothing was kept.",
    ),
    zh=Text(
        "内存不足，无法读取数据包",
        "系统未能再提供内存（用于数据或线程）；可能是该用户或容器的限制过低。",
        "关闭其他程序或提高限制（ulimit -v、-d，容器内存），然后重试。没有保留任何内容。",
    ),
)
