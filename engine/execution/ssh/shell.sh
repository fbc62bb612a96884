# The functions that an engine gives to the long-lived sh of a host; only plain sh, for dash, bash and busybox.
# Each is called with the number of its request first and answers with one line: $K, that number, a word, facts.
# A long one comes in several, each but the last with "..." behind the number: what is written at once is not mixed with
# what a process beside it reports, as long as it is no more than 4096 bytes.
# $K is a word that nobody else knows; the engine sets it before.

exec 8>&1 >/dev/null 2>&1
set +m
umask 077
unset until left asked since claimed each file id line part more new a d k m n p s v w PAGE SETSID INNER A B C D E F G H I J L M N O P Q R S T U V W X Y Z IFS
export PATH="${PATH:-/usr/local/bin:/usr/bin:/bin}:/usr/sbin:/sbin"
B= SETSID= PAGE=
J='                               '
J="$J
$J
$J
$J"
NL='
'

# The process of a stage, a shell that begins a session: $0 is its script, $1 the folder that it starts in. With the
# stage file as standard input it writes its pid over blanks of that; what follows here makes it the job, which has
# neither that nor the way to the engine. No variable is set: the job would find it changed.
INNER='cd "$1" || exit 125; echo begun $$ >&0; shift; exec </dev/null; '

say() {
  line="$K $*"
  if [ ${#line} -lt 1000 ]; then printf '%s\n' "$line" >&8; return; fi
  id=$1 line=
  shift
  for part in "$@"; do
    if [ ${#line} -ge 800 ]; then printf '%s\n' "$K $id ...$line" >&8; line=; fi
    line="$line $part"
  done
  printf '%s\n' "$K $id$line" >&8
}

# hello ID: boot, seconds since that, home; or what is missing
hello() {
  for each in setsid mkdir kill grep rm cat sleep; do
    command -v "$each" >/dev/null || { say "$1" missing "$each"; return; }
  done
  SETSID=$(command -v setsid)
  read -r B </proc/sys/kernel/random/boot_id || { say "$1" missing /proc; return; }
  printf 'a\0b\0' | grep -qzx b || { say "$1" missing 'grep -z'; return; }
  [ "$(grep -lE '^[0-9]' /proc/uptime /proc/version)" = /proc/uptime ] || # one of the user's own may colour its output
    { say "$1" missing 'grep that prints names as they are'; return; }
  read -r U X </proc/uptime
  say "$1" hello "$B" "$U" "${HOME%%"$NL"*}"
}

# root ID DIRECTORY: whether it can be what it is for
root() {
  D=$2
  case $D in /*) ;; *) D=$HOME/$D ;; esac
  case $D in *"$NL"* | [!/]*) say "$1" unnamed "${D%%"$NL"*}"; return ;; esac
  mkdir -p "$D" 2>/dev/null
  cd "$D" 2>/dev/null || { say "$1" readonly "$D"; return; }
  if [ ! -f .skerry-root ]; then
    for each in * .[!.]* ..?*; do
      if [ -e "$each" ] || [ -L "$each" ]; then say "$1" foreign "$D"; return; fi
    done
    printf '' >.skerry-root || { say "$1" readonly "$D"; return; }
  fi
  [ -O . ] && chmod 700 . || { say "$1" foreign "$D"; return; }
  for each in */.skerry/alone; do # an exclusive one that an older version began
    if [ -e "$each" ]; then printf '' >.skerry-alone; fi
  done
  T=.skerry-try-$$
  printf '#!/bin/sh\nexit 0\n%64s\n' '#' >$T || { say "$1" full "$D"; rm -f $T; return; }
  [ -s $T ] || { say "$1" readonly "$D"; return; }
  chmod 700 $T
  ./$T </dev/null || { say "$1" noexec "$D"; rm -f $T; return; }
  /bin/sh -c 'echo fit >&0' 0<>$T # as the process of a stage does
  read -r X <$T
  rm -f $T
  [ "$X" = fit ] || { say "$1" unfit "$D"; return; }
  say "$1" root "$D"
}

# examine ID: seconds of the epoch, free kibibytes, which programs are missing
examine() {
  A=
  for each in setsid mkdir kill grep rm cat chmod sleep date wc df du sha256sum python3 java; do
    command -v "$each" >/dev/null || A="$A $each"
  done
  say "$1" examine "$(date +%s)" "$(df -Pk "$D" | { read -r X; read -r X s X a X; echo "${a:-0}"; })" $A
}

# version ID PROGRAM: what it says of itself
version() {
  case $2 in java) X=-version ;; *) X=--version ;; esac
  say "$1" version "$("$2" $X 2>&1 </dev/null | { read -r X; echo "$X"; })"
}

# pulse ID: load, memory, seconds of the epoch, disk
# (dash reads byte by byte, and each read of a file of /proc makes all of it: so cat and grep read what is long)
pulse() {
  read -r L X </proc/loadavg
  set -- "$1" $(grep -E '^Mem(Total|Available):' /proc/meminfo)
  M=$3 A=$6
  N=$(grep -c '^processor' /proc/cpuinfo)
  say "$1" pulse "$L" "$M" "$A" "$N" "$(date +%s)" $(df -Pk "$D" | { read -r X; read -r X s X a X; echo "$s" "$a"; })
}

# record FILE: E exit status, P pid, T its start ticks, O boot, R token, N that it was given up (nofork: why), since when (seconds
# of this boot) it is claimed; else empty
record() {
  E= P= T= O= R= N= since=
  while read -r k v w X; do
    case $k in
      begun) P=$v ;;
      ticks) T=$v ;;
      exit) [ "$v" = "$w" ] && E=$v ;;
      boot) O=$v ;;
      token) R=$v ;;
      void) N=$v ;;
      claimed) since=$v ;;
    esac
  done <"$1"
}

# state PID: S its state, Y its session, Z its start ticks; false when it is gone
state() {
  X=$(cat "/proc/$1/stat") || return 1
  set -- ${X##*\) }
  S=$1 Y=$4 Z=${20}
  case $S in Z | X) return 1 ;; esac
}

# ours PID TICKS: whether that process lives
ours() { state "$1" && [ "$Z" = "$2" ]; }

# lives FILE: whether the process of a stage does; its start ticks are written down when that is first asked
lives() {
  if [ -n "$T" ]; then ours "$P" "$T"; return; fi
  state "$P" && [ "$Y" = "$P" ] || return 1
  T=$Z
  printf 'ticks %s\n' "$T" >>"$1"
}

# works DIRECTORY: whether something of that attempt lives, or is only just beginning
works() {
  for file in "$1/.skerry/ready" "$1/.skerry/process" "$1/.skerry/end" "$1"/.skerry/*.[0-9]; do
    [ -f "$file" ] || continue
    record "$file"
    if [ "$O" != "$B" ] || [ -n "$E" ] || [ -n "$N" ]; then continue; fi
    if [ -n "$P" ]; then lives "$file" && return; else begins && return; fi
  done
  return 1
}

# begins: whether what claimed a stage may still begin it (see fresh); of an older version that is not known
begins() {
  [ -n "$since" ] || return 0
  read -r U X </proc/uptime
  [ $((${U%.*} - since)) -lt 60 ]
}

# fresh: whether a stage was claimed so shortly ago that it may begin: long before anybody takes it for given up
fresh() {
  read -r U X </proc/uptime
  [ $((${U%.*} - claimed)) -lt 30 ]
}

# made DIRECTORY...: these folders, each after the one above it; where one is there or its root is gone, in the slow way:
# mkdir -p makes and enters every part of every path
made() { mkdir "$@" || mkdir -p -m 700 "$@"; }

# folders ID DIRECTORY...: where attempts work, all of them by one program
folders() {
  shift
  for each in "$@"; do
    shift
    [ -d "$each/.skerry" ] || set -- "$@" "$each" "$each/executeCode" "$each/inputs" "$each/outputs" "$each/.skerry"
  done
  [ $# = 0 ] || made "$@"
}

# strangers ID ROOT MARK...: which attempts beside those live in a root, and `mark:alone` of exclusive ones
strangers() {
  I=$1 H=$2 G=' '
  shift 2
  for each in "$@"; do G="$G$each "; done
  others "$G" "$H"/*/.skerry
  say "$I" strangers $A
}

# others MARKS FILE...: A the attempts, by files of theirs, that work there, but for those; `mark:alone` of exclusive ones
others() {
  C=$1 A=
  shift
  for each in "$@"; do
    [ -e "$each" ] || continue
    d=${each%/alone}
    d=${d%/.skerry}
    m=${d##*/}
    case "$C$A " in *" $m "* | *" $m:alone "*) continue ;; esac
    works "$d" || continue
    if [ -e "$d/.skerry/alone" ]; then A="$A $m:alone"; else A="$A $m"; fi
  done
}

# alone DIRECTORY: what works there is exclusive. From the first such one on its root says so, and each start there looks for
# them: among all that wait to be removed that takes longer than the rest of it
alone() { printf '' >"${1%/*}/.skerry-alone" && printf '' >"$1/.skerry/alone"; }

# admit ID STAGE-FILE MARKS: whether a stage that was claimed may begin beside what works in the root, but for MARKS: never
# beside something exclusive or another attempt of its job, and with a file alone beside nothing. Two that claim at once
# see each other, and both give way.
admit() {
  I=$1 W=${2%/.skerry/*}
  H=${W%/*} m=${W##*/}
  if [ -e "$W/.skerry/alone" ]; then
    others " $m $3 " "$H"/*/.skerry
  elif [ -e "$H/.skerry-alone" ]; then
    others " $m $3 " "$H"/*/.skerry/alone "$H/${m%%.*}".*/.skerry
  else
    others " $m $3 " "$H/${m%%.*}".*/.skerry
  fi
  [ -n "$A" ] || return 0
  rm -f "$2" "$W/.skerry/alone"
  trap - EXIT
  say "$I" busy $A
  return 1
}

# room ID: whether a file can grow there
room() {
  if printf '%65536s' x >"$D/.skerry-room"; then say "$1" room; else say "$1" none; fi
  rm -f "$D/.skerry-room"
}

# lease ID FILE UNTIL TERM: what runs here may go on until then, in seconds since its boot, or endless; gives what
# holds now (written in place, which a full disk allows; a request of an earlier engine, or a late one, changes nothing;
# what was given before the machine was restarted counts from another beginning)
lease() {
  X=0 T=0 Z=
  read -r X T Z <"$2"
  [ "$Z" = "$B" ] || X=0 T=0
  if [ "${T:-0}" -lt "$4" ] || { [ "${T:-0}" = "$4" ] && [ "$X" != endless ] &&
    { [ "$3" = endless ] || [ "${X:-0}" -lt "$3" ]; }; }; then
    printf '%-19s %-11s %s\n' "$3" "$4" "$B" 1<>"$2"
    X=
    read -r X T Z <"$2"
  fi
  read -r U T </proc/uptime
  say "$1" lease "$U" "$X"
}

# leased FILE: whether a lease has not run out: left seconds of it; what cannot be read now is as it was
leased() {
  read -r U X </proc/uptime
  X=
  read -r X T <"$1"
  case $X in
    endless) until= left=9 ;;
    [0-9]*) until=$X ;;
  esac
  [ -z "$until" ] || left=$((until - ${U%.*}))
  [ "${left:-0}" -gt 0 ]
}

# guarded DIRECTORY LEASE GRACE MARK: a guard is beside that attempt
guarded() {
  if read -r p T <"$1/.skerry/guard" && ours "$p" "$T"; then return; fi
  guard "$@" &
  state $! && printf '%s %s\n' $! "$Z" >"$1/.skerry/guard"
}

# guard: as long as the attempt's directory is there it looks at the lease; begun before anything has the mark
guard() {
  exec </dev/null 8>&-
  while [ -d "$1" ]; do
    leased "$2" || { fence "$@"; return; }
    [ $left -lt 5 ] || left=5
    sleep $left
  done
}

# fence DIRECTORY LEASE GRACE MARK: the tree of that attempt ends: TERM, GRACE seconds, KILL
fence() {
  members '' "$4" "$1"/.skerry/ready* "$1"/.skerry/process* "$1"/.skerry/end*
  for each in $A; do kill -STOP "${each%:*}"; done
  for each in "$1"/.skerry/ready* "$1"/.skerry/process* "$1"/.skerry/end*; do
    [ -e "$each" ] || continue
    record "$each"
    if [ -n "$P" ] && [ -z "$E" ] && state "$P"; then printf '' >"$1/.skerry/fenced"; fi
  done
  asked=' '
  read -r U X </proc/uptime
  until=$((${U%.*} + $3))
  while members '' "$4" "$1"/.skerry/ready* "$1"/.skerry/process* "$1"/.skerry/end*; [ -n "$A" ]; do
    for each in $A; do
      case $asked in *" $each "*) ;; *) kill -TERM "${each%:*}" ;; esac
      kill -CONT "${each%:*}"
      asked="$asked$each "
    done
    read -r U X </proc/uptime
    [ "${U%.*}" -lt $until ] || break
    sleep 1
  done
  while [ -n "$A" ]; do
    freeze '' "$4" "$1"/.skerry/ready* "$1"/.skerry/process* "$1"/.skerry/end*
    sleep 1
    members '' "$4" "$1"/.skerry/ready* "$1"/.skerry/process* "$1"/.skerry/end*
  done
}

# seen ID PATH SUM: none, link (to nothing), file, folder or other; bytes, seconds of the epoch of its last change and now,
# y if it can be read, free kibibytes there, with SUM its sha256
seen() {
  k=none n=0 d=$2 X= A= F=
  if [ -f "$2" ]; then k=file; elif [ -d "$2" ]; then k=folder; elif [ -e "$2" ]; then k=other; elif [ -L "$2" ]; then k=link; fi
  case $k in
    file | folder) n=$(ls -ldnL "$2" | { read -r X X X X n X; echo "$n"; }) ;;
  esac
  if [ -d "$2" ]; then [ -r "$2" ] && [ -x "$2" ] && A=y; elif [ -r "$2" ]; then A=y; fi
  while [ -n "$d" ] && [ ! -e "$d" ]; do d=${d%/*}; done
  F=$(df -Pk "${d:-/}" | { read -r X; read -r X s X a X; echo "$a"; })
  [ -z "$3" ] || [ $k != file ] || sum "$2" || { say "$1" failed; return; }
  say "$1" seen $k "${n:-0}" "$(date -r "$2" +%s || echo 0)" "$(date +%s)" "${A:-n}" "${F:-0}" "${X:-none}"
}

# place ID DIRECTORY FOLDER...: where an attempt works, and further folders in there
place() {
  [ -d "$2/.skerry" ] || made "$2" "$2/executeCode" "$2/inputs" "$2/outputs" "$2/.skerry" ||
    { refused "$1" "$2"; return; }
  I=$1
  shift 2
  for each in "$@"; do
    [ -d "$each" ] || mkdir -m 700 "$each" || { refused "$I" "$each"; return; }
  done
  say "$I" place
}

# refused ID WHAT: why a step could not be done
refused() {
  if printf '%4096s' x >"$D/.skerry-room"; then say "$1" refused "$2"; else say "$1" full; fi
  trap - EXIT
  rm -f "$D/.skerry-room"
}

# claim ID STAGE-FILE TOKEN MARK: a stage is begun by whoever makes its file; each file is made once
claim() {
  set -C
  if printf '' >"$2"; then
    set +C
    read -r U X </proc/uptime
    claimed=${U%.*}
    if printf '%s\nboot %s\nclaimed %s\ntoken %s\nmark %s\n' "$J" "$B" "$claimed" "$3" "$4" >>"$2"; then
      return 0
    fi
    rm -f "$2"
    trap - EXIT
    say "$1" full "$2"
    return 1
  fi
  set +C
  [ -e "$2" ] || { trap - EXIT; say "$1" refused "$2"; return 1; }
  record "$2"
  trap - EXIT
  if [ "$R" != "$3" ]; then say "$1" already; elif [ "$N" = nofork ]; then say "$1" nofork; else say "$1" again "$P" "$T"; fi
  return 1
}

# begin ID DIRECTORY FILE TOKEN MARK MARKS [alone]: in a subshell I, W and Q are the request, the directory and the stage
# file; the engine has chosen what runs beside MARKS
begin() {
  I=$1 W=$2 Q=$2/.skerry/$3
  trap unbegun EXIT
  [ -d "$W/.skerry" ] || made "$W" "$W/executeCode" "$W/inputs" "$W/outputs" "$W/.skerry" ||
    { refused "$1" "$W"; return 1; }
  [ -z "$7" ] || alone "$W" || { refused "$1" "$W/.skerry/alone"; return 1; }
  claim "$1" "$Q" "$4" "$5" && admit "$1" "$Q" "$6"
}

# unbegun: the process that begins a stage breaks off, as one does that can start no further one: where its program
# has not begun it never will (nothing but what the shell itself can do is of use here)
unbegun() {
  k=
  read -r k P X <"$Q"
  [ "$k" != begun ] || return 0
  echo 'void nofork' >>"$Q"
  say "$I" nofork
}

# undo WORD...: it cannot be begun after all; nothing of it was
undo() {
  rm -f "$Q"
  trap - EXIT
  say "$I" "$@"
  exit
}

# over STATUS: its program has ended so; standard input is the stage file, behind what the process wrote there
over() {
  trap - EXIT
  [ "$1" -lt 256 ] || set -- $(($1 - 128)) # of what a signal ended ksh says 256 and its number
  echo "exit $1 $1" >&0
  P=
  read -r k P X <"$Q"
  [ "$k" = begun ] || P=
  flags "$W"
  [ ! -e "$W/.skerry/fenced" ] || F=${F}f
  say "$I" end "$1" "${P:-0}" "$F"
}

# void ID DIRECTORY FILE MARK: what was not begun shall not be, also by a request that is on its way
void() {
  [ -d "$2/.skerry" ] || made "$2" "$2/executeCode" "$2/inputs" "$2/outputs" "$2/.skerry"
  set -- "$1" "$2/.skerry/$3" "$4"
  set -C
  if printf '' >"$2"; then
    set +C
    printf 'void %s\n' "$3" >>"$2"
    say "$1" never
    return
  fi
  set +C
  if [ -e "$2" ]; then look "$1" "$2"; else say "$1" refused "$2"; fi
}

# look ID STAGE-FILE: its end, that it lives, is about to begin, or is gone
look() {
  if [ ! -e "$2" ]; then say "$1" nothing; return; fi
  record "$2"
  if [ -e "${2%/*}/fenced" ]; then
    flags "${2%/.skerry/*}"
    say "$1" fenced "${P:-0}" "$F"
  elif [ -n "$E" ]; then
    flags "${2%/.skerry/*}"
    say "$1" exit "$E" "${P:-0}" "$F"
  elif [ "$N" = nofork ]; then
    say "$1" nofork
  elif [ -n "$N" ]; then
    say "$1" never
  elif [ -z "$O" ]; then
    say "$1" begins
  elif [ "$O" != "$B" ]; then
    say "$1" restarted
  elif [ -z "$P" ]; then
    if begins; then say "$1" begins; else say "$1" lost 0; fi
  elif lives "$2"; then
    say "$1" lives "$P" "$T"
  else
    ended "$@" &
  fi
}

# ended ID STAGE-FILE: the same of a process that is gone: what waits for it may only just be writing that down
ended() {
  L=0
  while record "$2"; [ -z "$E" ] && [ $L -lt 10 ]; do
    sleep 1
    L=$((L + 1))
  done
  flags "${2%/.skerry/*}"
  if [ -n "$E" ]; then say "$1" exit "$E" "$P" "$F"; else say "$1" lost "$P"; fi
}

# left ID DIRECTORY: the same as an answer
left() {
  flags "$2"
  say "$1" left "$F"
}

# flags DIRECTORY: F says which files have something in them
flags() {
  F=-
  [ -s "$1/job.log" ] && F=${F}o
  [ -s "$1/job-error.log" ] && F=${F}e
  [ -e "$1/status" ] && F=${F}s
  [ -s "$1/.skerry/progress" ] && F=${F}p
  for X in "$1"/outputs/* "$1"/outputs/.[!.]* "$1"/outputs/..?*; do
    if [ -e "$X" ] || [ -L "$X" ]; then F=${F}r; break; fi
  done
}

# members ID MARK STAGE-FILE...: pid:ticks of what lives of an attempt
members() {
  I=$1 G=$2 A= C=x W=x
  shift 2
  for each in "$@"; do
    [ -e "$each" ] || continue
    record "$each"
    [ "$O" = "$B" ] && [ -n "$P" ] && W="$W|$P"
  done
  set --
  for each in $(grep -lzxF "SKERRY_ATTEMPT=$G" /proc/[0-9]*/environ); do set -- "$@" "${each%environ}stat"; done
  [ $# = 0 ] || found "$(LC_ALL=C grep -aH '[)] [A-Za-z] ' "$@")"
  more=1
  while [ -n "$more" ]; do # grep reads them: a host may have thousands, of which few are ours
    more=
    found "$(LC_ALL=C grep -aHE "[)] [A-Za-z] (($C) [0-9]+ [0-9]+|[0-9]+ [0-9]+ ($W)) [^)]*\$" /proc/[0-9]*/stat)"
  done
  [ -z "$I" ] || say "$I" members $A
}

# found LINES: of files called stat; who lives is added to A and C, and more says that somebody was new
found() {
  set -f
  IFS=$NL
  for X in $1; do # with the number of the file: the name of a program may look like a line, or have several
    IFS=' '
    p=${X#/proc/}
    p=${p%%/*}
    set -- ${X##*\) }
    [ -n "${20}" ] || continue
    case $1 in Z | X) [ "${18}" -gt 1 ] || continue ;; esac
    case "|$C|" in *"|$p|"*) continue ;; esac
    C="$C|$p" A="$A $p:${20}" more=1
  done
  set +f
  unset IFS
}

# signal ID SIGNAL PID:TICKS...: to those that still are what they were
signal() {
  I=$1 G=$2
  shift 2
  for each in "$@"; do
    if ours "${each%:*}" "${each#*:}"; then kill -"$G" "${each%:*}"; fi
  done
  say "$I" done
}

# freeze ID MARK STAGE-FILE...: STOP until a look finds nobody new, then KILL
freeze() {
  H=$1 V=' ' Q=0
  shift
  while [ $Q -lt 50 ]; do
    members '' "$@"
    new=
    for each in $A; do
      case $V in *" $each "*) ;; *) new=1 V="$V$each "; kill -STOP "${each%:*}" ;; esac
    done
    [ -n "$new" ] || break
    Q=$((Q + 1))
  done
  for each in $V; do
    if ours "${each%:*}" "${each#*:}"; then kill -KILL "${each%:*}"; fi
  done
  say "$H" done
}

# sizes ID DIRECTORY...: for both logs and the progress of each, 0 or +; then the bytes of those with a +
sizes() {
  I=$1 A= N=
  shift
  for each in "$@"; do
    shift
    for X in job.log job-error.log .skerry/progress; do
      if [ -s "$each/$X" ]; then A="$A +" && set -- "$@" "$each/$X"; else A="$A 0"; fi
    done
  done
  [ $# = 0 ] || N=$(wc -c "$@" | while read -r k X; do echo "$k"; done)
  say "$I" sizes $A : $N
}

# usage ID MARK STAGE-FILE...: kibibytes of a page of memory; of each process of these attempts pid, parent, session,
# ticks of CPU, threads, ticks of its start and pages; and pid, read_bytes or write_bytes, number
usage() {
  U=$1 N=
  shift
  members '' "$@"
  [ -n "$PAGE" ] || PAGE=$(grep KernelPageSize /proc/self/smaps | { read -r X k X; echo "${k:-4}"; })
  set --
  for each in $A; do set -- "$@" "/proc/${each%:*}/stat" "/proc/${each%:*}/io"; done
  [ $# = 0 ] || N=$(LC_ALL=C grep -aHE '[)] [A-Za-z] |^(read|write)_bytes:' "$@")
  A=
  set -f
  IFS=$NL
  for X in $N; do
    IFS=' '
    p=${X#/proc/}
    p=${p%%/*}
    case $X in
      */io:*)
        set -- ${X#*:}
        A="$A $p,${1%:},$2"
        ;;
      *)
        set -- ${X##*\) }
        [ -z "${22}" ] || A="$A $p,$2,$4,$((${12} + ${13} + ${14} + ${15})),${18},${20},${22}"
        ;;
    esac
  done
  set +f
  unset IFS
  say "$U" usage "$PAGE" $A
}

# written ID MOST DIRECTORY: kibibytes of what an attempt wrote there; if that is more than MOST, its files' bytes too
written() {
  I=$1 M=$2 N=0
  set -- "$3"/* "$3"/.[!.]* "$3"/..?*
  for each in "$@"; do
    shift
    case ${each##*/} in
      .skerry | attempts | ctx.json | ctx.log | executeCode | inputs | monitor.csv | status) continue ;;
    esac
    [ ! -e "$each" ] || [ -L "$each" ] || set -- "$@" "$each"
  done
  [ $# = 0 ] || for X in $(du -sk "$@" | while read -r k X; do echo "$k"; done); do N=$((N + X)); done
  T=
  [ $N -le "$M" ] || T=$(lengths "$@")
  say "$I" written $N $T
}

# lengths FILE...: the bytes of these files, and of all in these folders
lengths() {
  T=0
  while [ $# -gt 0 ]; do
    X=$1
    shift
    [ ! -L "$X" ] || continue
    if [ -d "$X" ]; then
      set -- "$@" "$X"/* "$X"/.[!.]* "$X"/..?*
    elif [ -f "$X" ]; then
      T=$((T + $(wc -c <"$X")))
    fi
  done
  echo $T
}

# forget ID DIRECTORY...: all of it is where it belongs; what has ended is dropped from the list of the shell's jobs
forget() {
  I=$1
  shift
  jobs
  rm -rf "$@" &
  say "$I" done
}

# marks ID DIRECTORY: the attempts that have something there
marks() {
  I=$1 A=
  for each in "$2"/[0-9]*.[0-9]*.*; do
    if [ -d "$each/.skerry" ]; then A="$A ${each##*/}"; fi
  done
  say "$I" marks $A
}

# beside ID FUNCTION WORD...: one that takes long, in a process of its own; where that can start no further one it is
# said that it failed: who asked waits for an answer
beside() {
  (
    I=$1 L=$2
    shift 2
    trap 'say "$I" failed' EXIT
    "$L" "$I" "$@"
    trap - EXIT
  ) &
}

# sum FILE: X its sha256, or none where there is no program for that; false if it could not be had now
sum() {
  X=none
  command -v sha256sum >/dev/null || return 0
  X=$(sha256sum <"$1") || return 1
  X=${X%% *}
}

# digest ID FILE: its sha256, none, or that it failed
digest() { if sum "$2"; then say "$1" digest "$X"; else say "$1" failed; fi; }
