"""Domain 01 of the catalogue: what can be wrong with a definition file."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

TEXT_UNREADABLE = ErrorCode(
    -1_01_00_001_000,
    en=Text(
        "The file is not plain UTF-8 text",
        "It is in another encoding, binary, or holds control characters such as NUL.",
        "Save it as UTF-8 text; in an editor remove the character at the place shown.",
    ),
    zh=Text(
        "文件不是有效的 UTF-8 文本",
        "文件使用了其他编码，或是二进制文件，或含有 NUL 等控制字符。",
        "以 UTF-8 编码保存；在编辑器中删除所示位置的字符。",
    ),
    retryable=False,
)
YAML_SYNTAX = ErrorCode(
    -1_01_00_002_000,
    en=Text(
        "The file is not valid YAML",
        "Its indentation, quotes, brackets or colons do not fit together.",
        "Look at the place shown and just before it; quote texts that hold special characters.",
    ),
    zh=Text(
        "文件不是有效的 YAML",
        "缩进、引号、括号或冒号不匹配。",
        "检查所示位置及其前面的内容；含特殊字符的文本请加引号。",
    ),
    retryable=False,
)
JSON_SYNTAX = ErrorCode(
    -1_01_00_003_000,
    en=Text(
        "The file is not valid JSON",
        "A quote, comma, bracket or value is missing, or JSON does not know it (NaN, comments).",
        "Correct the place shown.",
    ),
    zh=Text(
        "文件不是有效的 JSON",
        "缺少引号、逗号、括号或值，或使用了 JSON 不支持的内容（NaN、注释）。",
        "更正所示位置。",
    ),
    retryable=False,
)
DUPLICATE_KEY = ErrorCode(
    -1_01_00_004_000,
    en=Text(
        "A key stands twice in the same map",
        "One of the two would be ignored without a word.",
        "Keep one of them, or rename the other.",
    ),
    zh=Text("同一映射中有重复的键", "其中一个会被悄悄忽略。", "只保留一个，或重命名另一个。"),
    retryable=False,
)
ALIASES_TOO_LARGE = ErrorCode(
    -1_01_00_005_000,
    en=Text(
        "Aliases expand to too many values",
        "References (*name) to references multiply to more than 100,000 values, or to themselves.",
        "Write the values out, or refer to smaller parts.",
    ),
    zh=Text(
        "别名展开后的值过多",
        "别名（*name）层层引用，展开后超过 100,000 个值，或引用了自身。",
        "直接写出这些值，或引用更小的部分。",
    ),
    retryable=False,
)
NESTED_TOO_DEEP = ErrorCode(
    -1_01_00_006_000,
    en=Text(
        "The file is nested too deeply",
        "Maps and lists stand more than 100 deep in each other.",
        "Flatten the structure.",
    ),
    zh=Text("文件嵌套过深", "映射和列表的嵌套超过 100 层。", "减少嵌套层次。"),
    retryable=False,
)
TAG_REFUSED = ErrorCode(
    -1_01_00_007_000,
    en=Text(
        "A YAML tag is not allowed",
        "Only the tags of plain values are read (!!str, !!int, …); others could stand for code.",
        "Remove the tag.",
    ),
    zh=Text(
        "不允许的 YAML 标签", "只接受普通值的标签（!!str、!!int 等），其他标签可能代表代码。", "删除该标签。"
    ),
    retryable=False,
)
NOT_A_DEFINITION = ErrorCode(
    -1_01_00_008_000,
    en=Text(
        "The file is not a definition",
        "It is empty, or its outermost value is not a map.",
        "A definition begins with 'skerry: 1', then jobs, tasks or resources.",
    ),
    zh=Text(
        "文件不是定义文件",
        "文件为空，或最外层不是映射。",
        "定义文件以 skerry: 1 开头，然后是 jobs、tasks 或 resources。",
    ),
    retryable=False,
)
SEVERAL_DOCUMENTS = ErrorCode(
    -1_01_00_009_000,
    en=Text(
        "The file holds more than one document",
        "A line '---' begins another YAML document, which would be ignored.",
        "Put each document into a file of its own.",
    ),
    zh=Text(
        "文件含有多个文档", "“---” 行开始了另一个 YAML 文档，它会被忽略。", "把每个文档放到单独的文件中。"
    ),
    retryable=False,
)
VERSION = ErrorCode(
    -1_01_00_010_000,
    en=Text(
        "The format version is missing or not known",
        "A definition begins with 'skerry: 1'; this program reads version 1 only.",
        "Add 'skerry: 1', or use the program that the file was written for.",
    ),
    zh=Text(
        "缺少格式版本或版本未知",
        "定义文件以 skerry: 1 开头；本程序只支持版本 1。",
        "补上 skerry: 1，或使用与该文件对应的程序版本。",
    ),
    retryable=False,
)
KEY_NOT_TEXT = ErrorCode(
    -1_01_00_011_000,
    en=Text(
        "A key is not a plain text or number",
        "A map, list or nothing stands where a name is expected.",
        "Give the entry a name.",
    ),
    zh=Text("键不是文本或数字", "应为名称的位置是映射、列表或空值。", "为该项指定名称。"),
    retryable=False,
)
NUMBER_TOO_LARGE = ErrorCode(
    -1_01_00_012_000,
    en=Text(
        "A number cannot be kept",
        "It is infinite, not a number, or too large.",
        "Use a smaller number, or quote it if it is a text.",
    ),
    zh=Text("数字无法表示", "数字为无穷大、非数值或过大。", "使用较小的数字；若是文本请加引号。"),
    retryable=False,
)
UNKNOWN_KEY = ErrorCode(
    -1_01_00_020_000,
    en=Text(
        "A key is not known here",
        "It is misspelled, stands at the wrong level, or belongs to another type.",
        "Correct or remove it; the message names the nearest known key.",
    ),
    zh=Text(
        "此处不支持该键", "键名有误、位置不对，或属于其他类型。", "更正或删除；消息中给出了最接近的键名。"
    ),
    retryable=False,
)
MISSING_KEY = ErrorCode(
    -1_01_00_021_000,
    en=Text(
        "A required key is missing",
        "The definition does not say something that cannot be guessed.",
        "Add the key that the message names.",
    ),
    zh=Text("缺少必需的键", "定义中缺少无法推断的内容。", "补上消息中指出的键。"),
    retryable=False,
)
WRONG_TYPE = ErrorCode(
    -1_01_00_022_000,
    en=Text(
        "A value has the wrong shape",
        "A text stands where a list, map, number or true/false is expected, or the other way round.",
        "Write the value in the form that the message names.",
    ),
    zh=Text(
        "值的类型不正确",
        "应为列表、映射、数字或 true/false 的位置写了文本，或相反。",
        "按消息指出的形式书写。",
    ),
    retryable=False,
)
WRONG_VALUE = ErrorCode(
    -1_01_00_023_000,
    en=Text(
        "A value is not allowed here",
        "It is not one of the words known here, out of its range, or not in the right form.",
        "Use a value that the message names.",
    ),
    zh=Text("此处不允许该值", "不在可选范围内，或超出范围，或格式不对。", "使用消息中列出的值。"),
    retryable=False,
)
BAD_ID = ErrorCode(
    -1_01_00_024_000,
    en=Text(
        "An id has a form that is not allowed",
        "Ids have letters, digits, _ . - and begin with a letter or _, or are digits; at most 64 characters.",
        "Choose such an id; names and descriptions are free text.",
    ),
    zh=Text(
        "标识（ID）格式不正确",
        "ID 由字母、数字、_、. 和 - 组成，以字母或 _ 开头（或全为数字），最多 64 个字符。",
        "换用合规的 ID；名称和说明可以自由书写。",
    ),
    retryable=False,
)
CONFLICTING_KEYS = ErrorCode(
    -1_01_00_025_000,
    en=Text(
        "Two keys contradict each other",
        "Only one of them can hold, so neither is guessed.",
        "Remove one of them.",
    ),
    zh=Text("键之间相互矛盾", "两者只能有一个生效，程序不作猜测。", "删除其中之一。"),
    retryable=False,
)
UNKNOWN_TYPE = ErrorCode(
    -1_01_00_026_000,
    en=Text(
        "There is no such type",
        "The type of the job or resource is misspelled, or its plug-in is not installed.",
        "Correct the type, or install the plug-in.",
    ),
    zh=Text("没有该类型", "作业或资源的类型有误，或未安装相应插件。", "更正类型，或安装插件。"),
    retryable=False,
)
WRONG_STAGE = ErrorCode(
    -1_01_00_027_000,
    en=Text(
        "The stages do not fit the job's type",
        "The type has no process of its own, or cannot do without one, or the stage has a wrong form.",
        "See the page of the job type for its stages.",
    ),
    zh=Text(
        "阶段与作业类型不符",
        "该类型没有自己的 process，或必须有 process，或阶段的写法不对。",
        "查看该作业类型的文档页。",
    ),
    retryable=False,
)
PARAM_UNFIT = ErrorCode(
    -1_01_00_028_000,
    en=Text(
        "A parameter's value does not fit",
        "The value is not of the parameter's kind, or not one of its choices.",
        "Give a value of that kind, or change the parameter table.",
    ),
    zh=Text("参数值不符合要求", "值与参数类型不符，或不在可选值之中。", "提供该类型的值，或修改参数表。"),
    retryable=False,
)
DEFINED_TWICE = ErrorCode(
    -1_01_00_029_000,
    en=Text(
        "The same id is defined in two files",
        "Files that are read together share one set of ids.",
        "Rename one of them, or leave one file out.",
    ),
    zh=Text("同一 ID 在两个文件中定义", "一起读取的文件共用一套 ID。", "重命名其中一个，或去掉一个文件。"),
    retryable=False,
)
SCHEDULE_KEYS = ErrorCode(
    -1_01_00_040_000,
    en=Text(
        "The keys do not fit the level of the schedule",
        "Each level has keys of its own: a week has a day, an hour has from and to.",
        "Add or remove the key that the message names.",
    ),
    zh=Text(
        "键与调度级别不符",
        "每个级别有自己的键：week 需要 day，hour 可有 from 和 to。",
        "补上或删除消息中指出的键。",
    ),
    retryable=False,
)
SCHEDULE_TIME = ErrorCode(
    -1_01_00_041_000,
    en=Text(
        "A time, day or zone of the schedule is not valid",
        'Times of day are "HH:MM", moments ISO 8601, zones such as Asia/Shanghai.',
        "Correct the value; put times in quotes.",
    ),
    zh=Text(
        "调度中的时间、日期或时区无效",
        '时刻写作 "HH:MM"，时间点用 ISO 8601，时区如 Asia/Shanghai。',
        "更正该值；时刻请加引号。",
    ),
    retryable=False,
)
CRON_SYNTAX = ErrorCode(
    -1_01_00_042_000,
    en=Text(
        "The cron expression is not valid",
        "Quartz has six or seven fields, seconds first, with ? for day of month or day of week.",
        'Correct the expression, for example "0 0 2 * * ?" for two o\'clock every day.',
    ),
    zh=Text(
        "cron 表达式无效",
        "Quartz 表达式有六或七个字段，秒在最前，日与星期之一用 ?。",
        '更正表达式，例如每天两点："0 0 2 * * ?"。',
    ),
    retryable=False,
)
DEPENDENCY = ErrorCode(
    -1_01_00_043_000,
    en=Text(
        "A dependency is not possible so",
        "An entry names a task or itself, and cron tasks take part in no dependencies.",
        "Name exactly one of task and self; use another level than crontab.",
    ),
    zh=Text(
        "依赖设置不成立",
        "每项依赖要么指定 task 要么指定 self；crontab 任务不参与依赖。",
        "task 与 self 二选一；改用 crontab 以外的级别。",
    ),
    retryable=False,
)
UNEVEN_STEP = ErrorCode(
    -1_01_00_044_000,
    en=Text(
        "The step does not divide the period",
        "Every n restarts at the full hour, at midnight or on the 1st, so the last step is shorter.",
        "Choose a step that divides the period, or use the level interval.",
    ),
    zh=Text(
        "间隔不能整除周期",
        "每 n 个单位会在整点、零点或每月 1 日重新开始，最后一段较短。",
        "选择能整除的间隔，或使用 interval 级别。",
    ),
    retryable=False,
)
NO_EFFECT = ErrorCode(
    -1_01_00_045_000,
    en=Text(
        "A key has no effect here",
        "It only means something together with another key that is not there.",
        "Add the other key, or remove this one.",
    ),
    zh=Text("该键在此处不起作用", "它只有与另一个键一起使用才有意义。", "补上另一个键，或删除该键。"),
    retryable=False,
)
LOOKS_LIKE_SPECIFICATION = ErrorCode(
    -1_01_00_046_000,
    en=Text(
        "A value looks like a row of a parameter table",
        "In nodes, inline jobs and members of groups every entry of params is a value: a map such as "
        "{secret: name} is passed on as that map.",
        "Define the job under `jobs` and write the row in its params, or in the params of the task.",
    ),
    zh=Text(
        "参数值看起来像参数表中的一行",
        "在节点、内联作业和作业组成员中，params 的每一项都是值：{secret: name} 这样的映射会原样传递。",
        "在 jobs 下定义该作业，把这一行写入它的 params，或写入任务的 params。",
    ),
    retryable=False,
)
INVALID = ErrorCode(
    -1_01_00_090_000,
    en=Text(
        "The definition is not valid",
        "It has at least one mistake.",
        "'skerry check' lists every mistake with its line; correct them.",
    ),
    zh=Text("定义无效", "其中至少有一处错误。", "用 skerry check 列出每处错误及其行号，然后更正。"),
    retryable=False,
)
