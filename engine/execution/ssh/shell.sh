# The functions that an engine gives to the long-lived sh of a host; only plain sh, for dash, bash and busybox.
# Each is called with the number of its request first and answers with one line: $K, that number, a word, facts.
# $K is a word that nobody else knows; the engine sets it before.

exec 8>&1 >/dev/null 2>&1
set +m
umask 077
unset until left asked A B C D E F G H I J L M N O P Q R S T V W X Y Z IFS
export PATH="${PATH:-/usr/local/bin:/usr/bin:/bin}:/usr/sbin:/sbin"
B= SETSID=
J='                               '
J="$J
$J
$J
$J"
NL='
'

say() { printf '%s\n' "$K $*" >&8; }

# hello ID: boot, seconds of the epoch and since its boot, home; or what is missing
hello() {
  for each in setsid mkdir kill grep rm cat sleep; do
    command -v "$each" >/dev/null || { say "$1" missing "$each"; return; }
  done
  SETSID=$(command -v setsid)
  read -r B </proc/sys/kernel/random/boot_id || { say "$1" missing /proc; return; }
  printf 'a\0b\0' | grep -qzx b || { say "$1" missing 'grep -z'; return; }
  read -r U X </proc/uptime
  say "$1" hello "$B" "$(date +%s)" "$U" "$HOME"
}

# root ID DIRECTORY: whether it can be what it is for
root() {
  D=$2
  case $D in /*) ;; *) D=$HOME/$D ;; esac
  mkdir -p "$D" 2>/dev/null
  cd "$D" 2>/dev/null || { say "$1" readonly "$D"; return; }
  if [ ! -f .skerry-root ]; then
    for each in * .[!.]* ..?*; do
      if [ -e "$each" ] || [ -L "$each" ]; then say "$1" foreign "$D"; return; fi
    done
    printf '' >.skerry-root || { say "$1" readonly "$D"; return; }
  fi
  [ -O . ] && chmod 700 . || { say "$1" foreign "$D"; return; }
  T=.skerry-try-$$
  printf '#!/bin/sh\nexit 0\n%64s\n' '#' >$T || { say "$1" full "$D"; rm -f $T; return; }
  [ -s $T ] || { say "$1" readonly "$D"; return; }
  chmod 700 $T
  ./$T </dev/null || { say "$1" noexec "$D"; rm -f $T; return; }
  rm -f $T
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

# record FILE: E exit status, P pid, T its start ticks, O boot, R token, N that it was given up; else empty
record() {
  E= P= T= O= R= N=
  while read -r k v w X; do
    case $k in
      begun) P=$v ;;
      ticks) T=$v ;;
      exit) [ "$v" = "$w" ] && E=$v ;;
      boot) O=$v ;;
      token) R=$v ;;
      void) N=1 ;;
    esac
  done <"$1"
}

# state PID: S its state, Y its session, Z its start ticks; false when it is gone
state() {
  X=$(cat "/proc/$1/stat") || return 1
  set -- ${X##*) }
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

# folders ID DIRECTORY...: where attempts work, all of them by one program
folders() {
  shift
  for each in "$@"; do
    shift
    [ -d "$each/.skerry" ] || set -- "$@" "$each" "$each/executeCode" "$each/inputs" "$each/outputs" "$each/.skerry"
  done
  [ $# = 0 ] || mkdir -p -m 700 "$@"
}

# strangers ID ROOT MARK...: which attempts beside those live in a root, and `mark:alone` of exclusive ones
strangers() {
  I=$1 H=$2 V=' ' A=
  shift 2
  for each in "$@"; do V="$V$each "; done
  for each in "$H"/*/.skerry; do
    m=${each%/.skerry}
    m=${m##*/}
    case $V in *" $m "*) continue ;; esac
    for file in "$each/ready" "$each/process" "$each/end" "$each"/*.[0-9]; do
      [ -f "$file" ] || continue
      record "$file"
      if [ "$O" = "$B" ] && [ -n "$P" ] && [ -z "$E" ] && lives "$file"; then
        if [ -e "$each/alone" ]; then A="$A $m:alone"; else A="$A $m"; fi
        break
      fi
    done
  done
  say "$I" strangers $A
}

# room ID: whether a file can grow there
room() {
  if printf '%65536s' x >"$D/.skerry-room"; then say "$1" room; else say "$1" none; fi
  rm -f "$D/.skerry-room"
}

# lease ID FILE UNTIL TERM: what runs here may go on until then, in seconds since its boot, or endless; gives what
# holds now (written in place, which a full disk allows; a request of an earlier engine, or a late one, changes nothing)
lease() {
  X=0 T=0
  read -r X T <"$2"
  if [ "${T:-0}" -lt "$4" ] || { [ "${T:-0}" = "$4" ] && [ "$X" != endless ] &&
    { [ "$3" = endless ] || [ "${X:-0}" -lt "$3" ]; }; }; then
    printf '%-19s %-11s\n' "$3" "$4" 1<>"$2"
    X=
    read -r X T <"$2"
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

# place ID DIRECTORY FOLDER...: where an attempt works, and further folders in there
place() {
  [ -d "$2/.skerry" ] || mkdir -p -m 700 "$2" "$2/executeCode" "$2/inputs" "$2/outputs" "$2/.skerry" ||
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
  rm -f "$D/.skerry-room"
}

# claim ID STAGE-FILE TOKEN MARK: a stage is begun by whoever makes its file; each file is made once
claim() {
  set -C
  if printf '' >"$2"; then
    set +C
    if printf '%s\nboot %s\ntoken %s\nmark %s\n' "$J" "$B" "$3" "$4" >>"$2"; then return 0; fi
    rm -f "$2"
    say "$1" full "$2"
    return 1
  fi
  set +C
  [ -e "$2" ] || { say "$1" refused "$2"; return 1; }
  record "$2"
  if [ "$R" = "$3" ]; then say "$1" again "$P" "$T"; else say "$1" already; fi
  return 1
}

# void ID DIRECTORY FILE MARK: what was not begun shall not be, also by a request that is on its way
void() {
  [ -d "$2/.skerry" ] || mkdir -p -m 700 "$2" "$2/executeCode" "$2/inputs" "$2/outputs" "$2/.skerry"
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
    say "$1" fenced "${P:-0}" "$(flags "${2%/.skerry/*}")"
  elif [ -n "$E" ]; then
    say "$1" exit "$E" "${P:-0}" "$(flags "${2%/.skerry/*}")"
  elif [ -n "$N" ]; then
    say "$1" never
  elif [ -z "$O" ]; then
    say "$1" begins
  elif [ "$O" != "$B" ]; then
    say "$1" restarted
  elif [ -z "$P" ]; then
    say "$1" begins
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
  if [ -n "$E" ]; then say "$1" exit "$E" "$P" "$(flags "${2%/.skerry/*}")"; else say "$1" lost "$P"; fi
}

# left ID DIRECTORY: the same as an answer
left() { say "$1" left "$(flags "$2")"; }

# flags DIRECTORY: which files have something in them
flags() {
  F=-
  [ -s "$1/job.log" ] && F=${F}o
  [ -s "$1/job-error.log" ] && F=${F}e
  [ -e "$1/status" ] && F=${F}s
  [ -s "$1/.skerry/progress" ] && F=${F}p
  for X in "$1"/outputs/* "$1"/outputs/.[!.]* "$1"/outputs/..?*; do
    if [ -e "$X" ] || [ -L "$X" ]; then F=${F}r; break; fi
  done
  echo "$F"
}

# members ID MARK STAGE-FILE...: pid:ticks of what lives of an attempt
members() {
  I=$1 G=$2
  shift 2
  W=' '
  for each in "$@"; do
    [ -e "$each" ] || continue
    record "$each"
    [ "$O" = "$B" ] && [ -n "$P" ] && W="$W$P "
  done
  C=' '
  for each in $(grep -lzxF "SKERRY_ATTEMPT=$G" /proc/[0-9]*/environ); do
    each=${each#/proc/}
    C="$C${each%/environ} "
  done
  S=
  IFS=$NL
  for X in $(cat /proc/[0-9]*/stat); do
    IFS=' '
    p=${X%% *}
    set -- ${X##*) }
    case $1 in Z | X) [ "${18}" -gt 1 ] || continue ;; esac
    case $W in *" $4 "*) C="$C$p " ;; esac
    S="$S$p $2 ${20}$NL"
  done
  unset IFS
  more=1
  while [ -n "$more" ]; do
    more=
    IFS=$NL
    for X in $S; do
      IFS=' '
      set -- $X
      case $C in *" $1 "*) continue ;; esac
      case $C in *" $2 "*) C="$C$1 " more=1 ;; esac
    done
  done
  A=
  IFS=$NL
  for X in $S; do
    IFS=' '
    set -- $X
    case $C in *" $1 "*) A="$A $1:$3" ;; esac
  done
  unset IFS
  [ -z "$I" ] || say "$I" members $A
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

# tree ID DIRECTORY: kibibytes of everything that was written there
tree() { say "$1" tree $(du -sk "$2" | { read -r X Y; echo "$X"; }); }

# forget ID DIRECTORY...: all of it is where it belongs
forget() {
  I=$1
  shift
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

# bury PID...: their ends were reported; else the shell remembers each of them for ever
bury() { wait "$@"; }

# digest ID FILE: its sha256 and size, or that nobody there can say
digest() { say "$1" digest "$(sha256sum <"$2" | { read -r X Y; echo "${X:-none}"; })" "$(wc -c <"$2")"; }
