"""What can be wrong with an archive (domain 20, sub-domain 16)."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

UNKNOWN_FORMAT = ErrorCode(
    -1_20_16_001_000,
    en=Text(
        "Not an archive of a known format",
        "The file's first bytes are not those of zip, tar, gz, bz2, xz or zst.",
        "Look what the file is; have it packed in one of these formats.",
    ),
    zh=Text(
        "不是已知格式的归档文件",
        "文件开头的字节不属于 zip、tar、gz、bz2、xz 或 zst。",
        "检查该文件的类型；请对方用上述格式之一重新打包。",
    ),
    retryable=False,
)
DAMAGED = ErrorCode(
    -1_20_16_002_000,
    en=Text(
        "The archive is damaged",
        "It is cut off, a checksum does not hold, or its parts contradict each other.",
        "Fetch or copy the archive again and compare checksums; nothing of it was unpacked.",
    ),
    zh=Text(
        "归档文件已损坏",
        "文件被截断、校验和不符，或内部各部分相互矛盾。",
        "重新获取或复制归档文件并核对校验和；其中的内容一概没有解出。",
    ),
    retryable=False,
)
UNSAFE_NAME = ErrorCode(
    -1_20_16_003_000,
    en=Text(
        "The archive has a name that leads outside or deceives",
        "An entry is called by an absolute path, by .., with control characters, or too long.",
        "Do not trust the archive before you know who made it; have it packed with plain names.",
    ),
    zh=Text(
        "归档中有越界或欺骗性的名称",
        "某个条目使用绝对路径、含有 .. 或控制字符，或者名称过长。",
        "在确认归档来源之前不要信任它；请对方用普通名称重新打包。",
    ),
    retryable=False,
)
UNSAFE_ENTRY = ErrorCode(
    -1_20_16_004_000,
    en=Text(
        "The archive has an entry that is neither a file nor a folder",
        "Links, pipes, devices and sparse files are never unpacked: they can write elsewhere.",
        "Have it packed with the files that the links lead to (tar --dereference).",
    ),
    zh=Text(
        "归档中有既非文件也非目录的条目",
        "链接、管道、设备和稀疏文件一律不解出：它们可能写到别处。",
        "请对方打包链接所指的文件本身（tar --dereference）。",
    ),
    retryable=False,
)
NAME_CLASH = ErrorCode(
    -1_20_16_005_000,
    en=Text(
        "Two entries of the archive would be the same file",
        "Their names are equal, or differ only in upper and lower case or in Unicode form; "
        "or one is a file where the other needs a folder.",
        "Have the archive packed without doubled names.",
    ),
    zh=Text(
        "归档中的两个条目会成为同一个文件",
        "名称相同，或仅有大小写或 Unicode 形式的差别；或者一个是文件，而另一个需要同名目录。",
        "请对方去除重复的名称后重新打包。",
    ),
    retryable=False,
)
TOO_BIG = ErrorCode(
    -1_20_16_006_000,
    en=Text(
        "The archive's content is too big",
        "Unpacked it has more bytes than max_size allows.",
        "When the archive is trusted and the disk has room, raise max_size.",
    ),
    zh=Text(
        "归档内容过大",
        "解出的字节数超过 max_size。",
        "归档可信且磁盘空间充足时，调大 max_size。",
    ),
    retryable=False,
)
TOO_MANY = ErrorCode(
    -1_20_16_007_000,
    en=Text(
        "The archive has too many entries",
        "There are more files and folders in it than max_files allows.",
        "When the archive is trusted, raise max_files.",
    ),
    zh=Text(
        "归档条目过多",
        "其中的文件和目录数量超过 max_files。",
        "归档可信时，调大 max_files。",
    ),
    retryable=False,
)
RATIO = ErrorCode(
    -1_20_16_008_000,
    en=Text(
        "The archive grows too much when unpacked",
        "Its content is more times bigger than the archive than max_ratio allows; "
        "small archives made to fill disks do that.",
        "When the archive is trusted, raise max_ratio.",
    ),
    zh=Text(
        "归档解出后膨胀过多",
        "内容与归档大小之比超过 max_ratio；专门用来占满磁盘的小归档就是这样。",
        "归档可信时，调大 max_ratio。",
    ),
    retryable=False,
)
ENCRYPTED = ErrorCode(
    -1_20_16_009_000,
    en=Text(
        "The archive is encrypted",
        "An entry can be read with a password only.",
        "Have it packed without a password, or unpack it with a script.",
    ),
    zh=Text(
        "归档已加密",
        "某个条目需要密码才能读取。",
        "请对方不带密码重新打包，或用脚本解出。",
    ),
    retryable=False,
)
UNSUPPORTED = ErrorCode(
    -1_20_16_010_000,
    en=Text(
        "The archive is packed in a way that is not supported",
        "It uses a rare method, or one that needs more memory than is allowed for it.",
        "Have it packed with usual settings: zip with deflate, xz up to -9, zst without --long above 27.",
    ),
    zh=Text(
        "不支持该归档的压缩方式",
        "它使用了少见的压缩方法，或者解压所需内存超过允许的范围。",
        "请对方用常规设置重新打包：zip 用 deflate，xz 不超过 -9，zst 的 --long 不超过 27。",
    ),
    retryable=False,
)
IN_THE_WAY = ErrorCode(
    -1_20_16_011_000,
    en=Text(
        "Something in the target folder is in the way",
        "A folder is where a file should come, a file or a link where a folder should.",
        "Move it away, or unpack into another folder.",
    ),
    zh=Text(
        "目标目录中有内容阻挡",
        "应放文件的位置是目录，或者应放目录的位置是文件或链接。",
        "移走该内容，或解到其他目录。",
    ),
    retryable=False,
)

ALL = (
    UNKNOWN_FORMAT,
    DAMAGED,
    UNSAFE_NAME,
    UNSAFE_ENTRY,
    NAME_CLASH,
    TOO_BIG,
    TOO_MANY,
    RATIO,
    ENCRYPTED,
    UNSUPPORTED,
    IN_THE_WAY,
)
