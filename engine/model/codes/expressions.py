"""Domain 02 of the catalogue: what can be wrong with an expression or with the value it reads."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

SYNTAX = ErrorCode(
    -1_02_00_001_000,
    en=Text(
        "The expression cannot be read",
        "It does not follow the rules for paths, conditions or extracts.",
        "Correct it at the column that the message names; a text that only looks like a path starts with $$.",
    ),
    zh=Text(
        "表达式无法识别",
        "它不符合路径、条件或提取的书写规则。",
        "按提示的列号修改；若只是看起来像路径的普通文本，请以 $$. 开头。",
    ),
    retryable=False,
)
UNKNOWN_NAME = ErrorCode(
    -1_02_00_002_000,
    en=Text(
        "The expression uses a name that does not exist",
        "After $. only TASK, JOB, ROUNDS, ITEM, INDEX and UPSTREAM exist, each with fixed fields.",
        "Use one of the names that the message lists.",
    ),
    zh=Text(
        "表达式使用了不存在的名称",
        "$. 之后只能是 TASK、JOB、ROUNDS、ITEM、INDEX、UPSTREAM，各自的字段也是固定的。",
        "请改用提示中列出的名称。",
    ),
    retryable=False,
)
MISSING_VALUE = ErrorCode(
    -1_02_00_003_000,
    en=Text(
        "The value that the expression names is not there",
        "The key or index is missing from what the job or task really gave.",
        "Look at the job in the context: correct the name, or make the job give the result.",
    ),
    zh=Text(
        "表达式引用的值不存在",
        "作业或任务的实际数据中没有该键或下标。",
        "在上下文中查看该作业：修改名称，或让作业给出该结果。",
    ),
    retryable=False,
)
UNKNOWN_JOB = ErrorCode(
    -1_02_00_004_000,
    en=Text(
        "The expression names a job that cannot be found",
        "No node has this id, and it is not the id of a job that exactly one node uses.",
        "Write the id of the node.",
    ),
    zh=Text(
        "表达式引用的作业找不到",
        "没有节点使用该编号，或者它不是恰好被一个节点使用的作业的编号。",
        "请写节点的编号。",
    ),
    retryable=False,
)
NOT_ENDED = ErrorCode(
    -1_02_00_005_000,
    en=Text(
        "The expression reads a job that has not ended",
        "Only the values of ended jobs can be used; the job may not be upstream of this one.",
        "Add the job to 'after' of the node that reads it.",
    ),
    zh=Text(
        "表达式读取了尚未结束的作业",
        "只能使用已结束作业的值；该作业可能不在上游。",
        "请把该作业加入读取它的节点的 after。",
    ),
)
BATCH_INDEX = ErrorCode(
    -1_02_00_006_000,
    en=Text(
        "The expression reads a batch without an index",
        "The node is a batch, a for_each or has several rounds, so its id alone names several jobs.",
        "Write [0] for the first member, or [*] for all of them.",
    ),
    zh=Text(
        "读取批量作业时没有写下标",
        "该节点是批量、for_each 或有多轮，仅用编号会对应多个作业。",
        "写 [0] 表示第一个成员，写 [*] 表示全部。",
    ),
    retryable=False,
)
NULL_IN_TEXT = ErrorCode(
    -1_02_00_007_000,
    en=Text(
        "A null value cannot stand inside text",
        "The value that the expression reads is null, and a text around it would hide that.",
        "Give the value, or use the path alone so that null is passed on.",
    ),
    zh=Text(
        "文本中不能插入空值",
        "表达式读到的值为 null，放进文本会掩盖这一点。",
        "请给出该值，或单独使用路径以便原样传递 null。",
    ),
    retryable=False,
)
WRONG_KIND = ErrorCode(
    -1_02_00_008_000,
    en=Text(
        "A value does not fit its kind",
        "Number, boolean, list and map given as text must be JSON of that kind; a file must be a path.",
        "Correct what the job writes, or the kind in the definition.",
    ),
    zh=Text(
        "值与类型不符",
        "以文本给出的数值、布尔、列表、映射必须是该类型的合法 JSON；文件必须是路径。",
        "修改作业的输出，或修改定义中的类型。",
    ),
    retryable=False,
)
NO_MATCH = ErrorCode(
    -1_02_00_009_000,
    en=Text(
        "The pattern was not found",
        "The text that was searched does not contain what the pattern describes.",
        "Look at the text in the log; correct the pattern, or use :REGEX?: where it may be absent.",
    ),
    zh=Text(
        "没有找到匹配内容",
        "被搜索的文本中没有该模式描述的内容。",
        "查看日志中的文本并修改模式；若允许不存在，请使用 :REGEX?:。",
    ),
)
BAD_PATTERN = ErrorCode(
    -1_02_00_010_000,
    en=Text(
        "The pattern is not a valid regular expression",
        "It has a mistake in its own syntax.",
        "Correct the pattern at the place that the message names.",
    ),
    zh=Text("正则表达式无效", "模式本身的语法有错误。", "按提示的位置修改模式。"),
    retryable=False,
)
PATTERN_TOO_SLOW = ErrorCode(
    -1_02_00_011_000,
    en=Text(
        "The pattern ran too long",
        "Searching with it took more than a second and was stopped; nested repeats such as (a+)+ do that.",
        "Make the pattern more exact: avoid a repeat inside a repeat.",
    ),
    zh=Text(
        "正则匹配超时",
        "匹配超过一秒后被停止；嵌套重复（如 (a+)+）会造成这种情况。",
        "把模式写得更精确，避免重复中再套重复。",
    ),
    retryable=False,
)
PATTERN_TOO_BIG = ErrorCode(
    -1_02_00_012_000,
    en=Text(
        "The pattern is too big",
        "It is too long, too deeply nested, or its counted repeats multiply to too much.",
        "Use a shorter pattern, or smaller numbers in {…}.",
    ),
    zh=Text(
        "正则表达式过大",
        "模式过长、嵌套过深，或 {…} 中的次数相乘后过大。",
        "缩短模式，或减小 {…} 中的数字。",
    ),
    retryable=False,
)
BAD_TIME = ErrorCode(
    -1_02_00_013_000,
    en=Text(
        "The time cannot be shifted or formatted",
        "The value is not a time, the shift is not like -1d or +2h30m, or the result is out of range.",
        "Use a time such as $.TASK.SCHEDULED_TIME and a shift with the units s, m, h, d, w, mo, y.",
    ),
    zh=Text(
        "时间无法偏移或格式化",
        "值不是时间，或偏移量不是 -1d、+2h30m 这样的形式，或结果超出范围。",
        "使用 $.TASK.SCHEDULED_TIME 这样的时间，偏移单位为 s、m、h、d、w、mo、y。",
    ),
    retryable=False,
)
EXPRESSION_TOO_BIG = ErrorCode(
    -1_02_00_014_000,
    en=Text(
        "The expression is too big",
        "It is too long or too deeply nested.",
        "Split it into several parameters or conditions.",
    ),
    zh=Text("表达式过大", "表达式过长或嵌套过深。", "请拆分为多个参数或条件。"),
    retryable=False,
)
VALUE_TOO_BIG = ErrorCode(
    -1_02_00_015_000,
    en=Text(
        "A value is too big for an expression",
        "Expressions read and produce at most 64 MiB.",
        "Let the job work on the file itself, and pass its path.",
    ),
    zh=Text(
        "值对表达式来说过大",
        "表达式最多读取和产生 64 MiB。",
        "让作业直接处理该文件，并传递文件路径。",
    ),
    retryable=False,
)
NOT_TRUE_OR_FALSE = ErrorCode(
    -1_02_00_016_000,
    en=Text(
        "The condition gives neither true nor false",
        "A condition, and each side of and, or and not, must be true or false.",
        "Compare the value with something, for example {…} == 'yes'.",
    ),
    zh=Text(
        "条件的结果不是真或假",
        "条件以及 and、or、not 的每一侧都必须为 true 或 false。",
        "请与某个值比较，例如 {…} == 'yes'。",
    ),
    retryable=False,
)
NOT_COMPARABLE = ErrorCode(
    -1_02_00_017_000,
    en=Text(
        "The values cannot be compared",
        "null has no order and contains nothing.",
        "Test with == null first.",
    ),
    zh=Text("值无法比较", "null 没有大小，也不包含任何内容。", "请先用 == null 判断。"),
    retryable=False,
)
UNREADABLE = ErrorCode(
    -1_02_00_018_000,
    en=Text(
        "A file that the expression reads cannot be read",
        "The log or result file is missing, is not a plain file, or is not what was recorded.",
        "Look into the job's directory; rerun the job if its files are gone.",
    ),
    zh=Text(
        "表达式所需的文件无法读取",
        "日志或结果文件不存在、不是普通文件，或与记录不一致。",
        "查看作业目录；若文件已丢失，请重新执行该作业。",
    ),
)
BAD_PATH = ErrorCode(
    -1_02_00_019_000,
    en=Text(
        "The path cannot be evaluated",
        "One of its operators does not fit the value that it is applied to.",
        "Look at the value in the context and correct the path; to join texts write {path} inside the text.",
    ),
    zh=Text(
        "路径无法求值",
        "其中的某个运算符不适用于该值。",
        "在上下文中查看该值并修改路径；拼接文本请在文本中写 {路径}。",
    ),
    retryable=False,
)
TOO_LONG = ErrorCode(
    -1_02_00_020_000,
    en=Text(
        "The expression takes too long",
        "Where others wait for its value it may take 100 ms, elsewhere 5 s of computing; then it is stopped.",
        "Name what is wanted more exactly: a path without .. or filters, or let the job give the value.",
    ),
    zh=Text(
        "表达式求值时间过长",
        "有其他工作等待其结果时最多计算 100 毫秒，其他情况最多 5 秒；超过后会被停止。",
        "把要取的内容写得更精确：不使用 .. 和筛选，或让作业直接给出该值。",
    ),
    retryable=False,
)
FINDS_TOO_MUCH = ErrorCode(
    -1_02_00_021_000,
    en=Text(
        "The expression finds too much",
        "A query looks at a million values at most, and what it finds has at most 64 MiB as text.",
        "Name what is wanted more exactly: one .. finds every value below, two find most of them many times.",
    ),
    zh=Text(
        "表达式找到的内容过多",
        "一次查询最多查看一百万个值，找到的内容以文本计最多 64 MiB。",
        "把要取的内容写得更精确：一个 .. 会找到下面的每个值，两个 .. 会把多数值重复找到多次。",
    ),
    retryable=False,
)
NO_CONDITION = ErrorCode(
    -1_02_00_031_000,
    en=Text(
        "A text looks like a condition and is none",
        "It has operators but cannot be read as a condition, so it is a text: no branch 'true' is ever taken.",
        "Write it as a condition, for example {$.TASK.PARAMS['n']} == 3; quote texts: {…} == 'three'.",
    ),
    zh=Text(
        "文本看起来像条件，但不是条件",
        "其中有运算符，但不能作为条件解析，因此按文本处理：永远不会选中分支 true。",
        "请写成条件，例如 {$.TASK.PARAMS['n']} == 3；文本要加引号：{…} == 'three'。",
    ),
    retryable=False,
)
UNQUOTED = ErrorCode(
    -1_02_00_032_000,
    en=Text(
        "A name in a path has no quotes",
        "It is found all the same, but the path differs from how it is written everywhere else.",
        "Write $.JOB['b'] instead of $.JOB[b].",
    ),
    zh=Text(
        "路径中的名称缺少引号",
        "仍能找到该值，但写法与其他地方不一致。",
        "请写 $.JOB['b']，不要写 $.JOB[b]。",
    ),
    retryable=False,
)
PATH_AS_LETTERS = ErrorCode(
    -1_02_00_022_000,
    en=Text(
        "A path between quotes is not read",
        "A text in '…' is compared letter by letter, also where it holds {$.…}.",
        "Take the quotes away: {$.JOB['a'].RESULT} == 1.",
    ),
    zh=Text(
        "引号内的路径不会被读取",
        "'…' 中的文本按字面逐字比较，即使其中含有 {$.…}。",
        "请去掉引号，例如 {$.JOB['a'].RESULT} == 1。",
    ),
    retryable=False,
)
