"""Domain 50, sub-domains 20 to 22 (the support desk, fixes, deliveries): what stands in the way of a repair."""

from __future__ import annotations

from engine.model.errors import ErrorCode, Text

NO_EVIDENCE = ErrorCode(
    -1_50_20_001_000,
    en=Text(
        "There is no case there",
        "The folder is neither a case, nor a workspace, nor a bundle.",
        "Give the bundle that came from the site, or the folder that 'skerry bundle import' made.",
    ),
    zh=Text(
        "该处没有案例",
        "该文件夹既不是案例，也不是工作区或数据包。",
        "请给出来自现场的数据包，或 skerry bundle import 建立的文件夹。",
    ),
    retryable=False,
)
OUTCOME_UNKNOWN = ErrorCode(
    -1_50_20_002_000,
    en=Text(
        "What this job would do is not known here",
        "In a stand-in run recorded outcomes replace the jobs; the definition or the inputs of this one "
        "differ from all that was recorded.",
        "Give it an outcome by hand (--outcome NODE=succeeded), or let it really run here (--run NODE).",
    ),
    zh=Text(
        "此处无法得知该作业的结果",
        "替身运行以记录的结果代替作业；该作业的定义或输入与所有记录都不同。",
        "手工给出结果（--outcome NODE=succeeded），或让它在本机真正运行（--run NODE）。",
    ),
    retryable=False,
)
OUTCOME_WRONG = ErrorCode(
    -1_50_20_003_000,
    en=Text(
        "That is no outcome that can be given by hand",
        "An outcome is 'succeeded' or 'failed', with results as JSON where there are any, for a node of the task.",
        'Write --outcome NODE=succeeded, or --outcome NODE=\'{"results": {"rows": 3}}\'.',
    ),
    zh=Text(
        "无法手工给出这样的结果",
        "结果为 succeeded 或 failed，可附带 JSON 形式的作业结果，并且必须属于任务中的节点。",
        '请写 --outcome NODE=succeeded，或 --outcome NODE=\'{"results": {"rows": 3}}\'。',
    ),
    retryable=False,
)
RECORDED = ErrorCode(
    -1_50_20_004_000,
    en=Text(
        "It failed at the site",
        "The stand-in run shows the failure that was recorded for this job with this definition and these inputs.",
        "Read the recorded code and the job's logs; change the definition or the inputs and try again.",
    ),
    zh=Text(
        "在现场失败",
        "替身运行给出了该作业在相同定义和输入下所记录的失败。",
        "查看所记录的错误码和作业日志；修改定义或输入后再试。",
    ),
    retryable=False,
)
NOTHING_TO_DO = ErrorCode(
    -1_50_21_001_000,
    en=Text(
        "The fix changes nothing",
        "It has no definition, value, catalogue entry, rule or rerun in it.",
        "Say what it changes: --definitions FILE, --set PATH=VALUE, --rerun MODE.",
    ),
    zh=Text(
        "该修复包不改变任何内容",
        "其中没有定义、取值、目录条目、规则或重新执行。",
        "请指定修改内容：--definitions FILE、--set PATH=VALUE、--rerun MODE。",
    ),
    retryable=False,
)
NOT_A_FIX = ErrorCode(
    -1_50_21_002_000,
    en=Text(
        "This is not a fix that can be read",
        "The bundle is of another kind, or its content does not have the form of a fix.",
        "Use the fix bundle as it came; ask the supporter for it once more.",
    ),
    zh=Text(
        "这不是可读取的修复包",
        "该数据包属于其他类型，或其内容不符合修复包的格式。",
        "请使用收到的原始修复包；必要时请支持人员重新提供。",
    ),
    retryable=False,
)
EXPIRED = ErrorCode(
    -1_50_21_004_000,
    en=Text(
        "The fix has expired",
        "It was made for a certain time, which is over, or which the clock of this machine cannot tell. "
        "Nothing was changed.",
        "Look at the clock of this machine; else ask the supporter for a new fix.",
    ),
    zh=Text(
        "修复包已过期",
        "它只在一定时间内有效，现已过期；或本机时钟无法据以判断。未做任何改动。",
        "请检查本机时钟；否则请支持人员提供新的修复包。",
    ),
    retryable=False,
)
FOREIGN = ErrorCode(
    -1_50_21_005_000,
    en=Text(
        "The fix was made for another site",
        "It names the site, or the instance, that it repairs, and that is not here. Nothing was changed.",
        "Apply it where it belongs; for this site the supporter needs a bundle of this site.",
    ),
    zh=Text(
        "修复包是为其他现场制作的",
        "它指明了所修复的现场或实例，而本处没有。未做任何改动。",
        "请在所属的现场应用；若要修复本现场，支持人员需要本现场的数据包。",
    ),
    retryable=False,
)
REPLAYED = ErrorCode(
    -1_50_21_006_000,
    en=Text(
        "It was applied before",
        "A fix or delivery is applied once, also when it was taken back. Nothing was changed.",
        "'skerry fix list' shows what was applied; if it is needed again, ask for a new fix.",
    ),
    zh=Text(
        "该数据包已应用过",
        "每个修复包或交付包只能应用一次，撤销之后也一样。未做任何改动。",
        "用 skerry fix list 查看已应用的修复；如需再次应用，请索取新的修复包。",
    ),
    retryable=False,
)
OUTDATED = ErrorCode(
    -1_50_21_007_000,
    en=Text(
        "What the fix repairs has changed since",
        "A definition, a value or the log of the instance is no longer what the supporter saw. "
        "Nothing was changed.",
        "Export a new bundle of the instance and ask for a fix that is made for it.",
    ),
    zh=Text(
        "修复对象已发生变化",
        "定义、取值或实例日志与支持人员所见不同。未做任何改动。",
        "请重新导出该实例的数据包，并请支持人员据此制作修复包。",
    ),
    retryable=False,
)
FIX_INVALID = ErrorCode(
    -1_50_21_008_000,
    en=Text(
        "The fix cannot be made or applied as it is",
        "Something that it names does not exist or is not valid: a path, a definition, a node.",
        "Correct what the message names.",
    ),
    zh=Text(
        "该修复包无法按现状制作或应用",
        "其中引用的内容不存在或无效：路径、定义或节点。",
        "请更正消息中指出的内容。",
    ),
    retryable=False,
)
NOT_APPLIED = ErrorCode(
    -1_50_21_009_000,
    en=Text(
        "There is nothing to take back",
        "No fix of this number was applied here, or it was taken back already.",
        "'skerry fix list' shows what was applied.",
    ),
    zh=Text(
        "没有可撤销的内容",
        "本处没有应用过该编号的修复，或它已被撤销。",
        "用 skerry fix list 查看已应用的修复。",
    ),
    retryable=False,
)
OVERTAKEN = ErrorCode(
    -1_50_21_010_000,
    en=Text(
        "It cannot be taken back any more",
        "Somebody has changed what it had brought; taking it back would undo that too. Nothing was changed.",
        "Look at 'skerry tasks history ID'; restore what is wanted by hand.",
    ),
    zh=Text(
        "已无法撤销",
        "其带来的内容之后又被修改；撤销会一并丢失这些修改。未做任何改动。",
        "请查看 skerry tasks history ID，并手工恢复所需内容。",
    ),
    retryable=False,
)
NOT_AS_SHOWN = ErrorCode(
    -1_50_21_011_000,
    en=Text(
        "It is not what was shown",
        "What would be applied, or something that it would change or use here, is not as it was when it was looked at. "
        "Nothing was changed.",
        "Look at it again ('skerry fix preview', 'skerry delivery preview') and apply what is shown then.",
    ),
    zh=Text(
        "与所显示的内容不一致",
        "将要应用的内容，或它在此处将更改或使用的内容，与查看时不同。未做任何改动。",
        "请重新查看（skerry fix preview、skerry delivery preview），再应用届时显示的内容。",
    ),
    retryable=False,
)
NOT_A_DELIVERY = ErrorCode(
    -1_50_22_001_000,
    en=Text(
        "This is not a delivery that can be read",
        "The bundle is of another kind, or its content does not have the form of a delivery.",
        "Use the delivery as it came; ask its author for it once more.",
    ),
    zh=Text(
        "这不是可读取的交付包",
        "该数据包属于其他类型，或其内容不符合交付包的格式。",
        "请使用收到的原始交付包；必要时请作者重新提供。",
    ),
    retryable=False,
)
CONFLICTS = ErrorCode(
    -1_50_22_002_000,
    en=Text(
        "The delivery meets definitions that were changed here",
        "A definition of the same id stands here with another content. Nothing was changed.",
        "Say for each what counts: --take KIND:ID, --keep KIND:ID or --rename KIND:ID=NEW.",
    ),
    zh=Text(
        "交付包与本处修改过的定义冲突",
        "本处存在同名但内容不同的定义。未做任何改动。",
        "请逐一指定以何者为准：--take KIND:ID、--keep KIND:ID 或 --rename KIND:ID=NEW。",
    ),
    retryable=False,
)
REFERENCES_MISSING = ErrorCode(
    -1_50_22_003_000,
    en=Text(
        "The delivery refers to something that is not here",
        "A worker, a resource or a secret that it names does not exist in this workspace. Nothing was changed.",
        "Make it, name another one (--map secret:OLD=NEW), or accept that it is missing (--allow-missing).",
    ),
    zh=Text(
        "交付包引用了本处没有的内容",
        "它引用的执行主机、资源或密钥在本工作区中不存在。未做任何改动。",
        "请创建它，或指定替代者（--map secret:OLD=NEW），或接受其缺失（--allow-missing）。",
    ),
    retryable=False,
)
FILES_TOO_LARGE = ErrorCode(
    -1_50_22_005_000,
    en=Text(
        "The files of the delivery are too large",
        "Examples and handbooks may take 1 GiB together, and must leave room on the disk. Nothing was changed.",
        "Make room on the disk, or ask the author for a delivery with smaller files.",
    ),
    zh=Text(
        "交付包的文件过大",
        "示例和手册合计最多 1 GiB，并且必须在磁盘上留有余量。未做任何改动。",
        "请腾出磁盘空间，或请作者提供文件更小的交付包。",
    ),
    retryable=False,
)
OLDER = ErrorCode(
    -1_50_22_004_000,
    en=Text(
        "The delivery is older than what stands here",
        "A delivery that was made later has brought some of its definitions already. Nothing was changed.",
        "Ask the author for the newest one. If the older one is wanted: --allow-older.",
    ),
    zh=Text(
        "交付包比此处现有的内容更旧",
        "其中部分定义已由更晚制作的交付包引入。未做任何改动。",
        "请向作者索取最新的交付包。若确需较旧的版本：--allow-older。",
    ),
    retryable=False,
)
