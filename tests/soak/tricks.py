"""The ways in which programs, by accident or on purpose, get away from what started them.

Each is a shell script with ``$STAY`` (a program that says it is there and stays), ``$PY`` and descriptor 7, a
file by which whoever inherits it is found again. Nothing lives longer than some minutes by itself.
"""

from __future__ import annotations

STAY = "sh -c 'echo up >&7; exec sleep 300'"
_WAIT = "; sleep 300"
_ORPHAN = f"(setsid env -i PATH=$PATH {STAY} &)"


def _python(text: str) -> str:
    """A Python program whose ``stay()`` says that it is there and stays; it ends by itself at ``END``."""
    return f"exec $PY -ISE -c '{_PRELUDE}{text}'"


_PRELUDE = """
import ctypes, os, signal, sys, threading, time
END = time.monotonic() + 120
libc = ctypes.CDLL(None)
def up(): os.write(7, b"up\\n")
def stay():
    up()
    while time.monotonic() < END: time.sleep(1)
    os._exit(0)
def daemon(then):
    if os.fork(): return
    os.setsid()
    if os.fork(): os._exit(0)
    os.environ.clear()
    then()
def bare(then):
    if os.fork() == 0: os.execve("/bin/sh", ["sh", "-c", "echo up >&7; sleep 300; " + then], {"PATH": "/bin:/usr/bin"})
"""

_CHAIN = """
def chain():
    up()
    while time.monotonic() < END:
        if os.fork(): os._exit(0)
        {each}
daemon(chain)
time.sleep(300)
"""

GONE: dict[str, str] = {
    # what shells do
    "in the background": f"{STAY} & wait",
    "in a subshell": f"({STAY} &){_WAIT}",
    "nohup": f"nohup {STAY} >/dev/null 2>&1 &{_WAIT[1:]}",
    "a session of its own": f"setsid {STAY} &{_WAIT[1:]}",
    "forked into a session of its own": f"setsid -f {STAY}{_WAIT}",
    "a hundred generations of subshells": f"n() {{ [ $1 -gt 99 ] && {{ {STAY}; }} || (n $(($1+1)) ) ; }}; n 1{_WAIT}",
    "fifty at once": f"for i in $(seq 50); do {STAY} & done; wait",
    "another program in its place": f"exec {STAY}",
    "under a false name": f"bash -c 'echo up >&7; exec -a [kworker/0:1] sleep 300'{_WAIT}",
    "a low priority and a time limit": f"nice -n 19 timeout 300 {STAY}{_WAIT}",
    "a pipe on either side": f"yes | {{ {STAY}; }} | cat >/dev/null",
    # the environment
    "an empty environment": f"env -i PATH=$PATH {STAY}{_WAIT}",
    "an empty environment in a session": f"setsid env -i PATH=$PATH {STAY}{_WAIT}",
    "double fork with an empty environment": f"{_ORPHAN}{_WAIT}",
    "the mark taken away": f"(setsid env -u SKERRY_ATTEMPT {STAY} &){_WAIT}",
    "the mark of another job": f"(SKERRY_ATTEMPT=1.1.0 setsid {STAY} &){_WAIT}",
    "every variable of the engine taken away": f"(for v in $(env | sed -n 's/^\\(SKERRY_[A-Z]*\\)=.*/\\1/p'); do unset $v; done; setsid {STAY} &){_WAIT}",
    "an environment that was overwritten": _python(
        "for word in list(os.environ):\n"
        " p = ctypes.cast(libc.getenv, ctypes.c_void_p)\n"
        " libc.getenv.restype = ctypes.c_void_p\n"
        " at = libc.getenv(word.encode())\n"
        " if at: ctypes.memset(at - len(word) - 1, 120, len(word))\n"
        "daemon(stay); time.sleep(300)"
    ),
    # TERM
    "TERM ignored": f"trap '' TERM HUP INT; {STAY}{_WAIT}",
    "TERM ignored by an orphan": f"(trap '' TERM HUP; setsid env -i PATH=$PATH {STAY} &){_WAIT}",
    "a parent that obeys TERM and a child without environment": _python('bare("true"); time.sleep(300)'),
    "an heir on TERM": f"trap 'setsid -f env -i PATH=$PATH {STAY.replace(chr(39), chr(34))}; exit' TERM; echo up >&7; sleep 300 & wait",
    "an heir at the end": f"trap 'setsid -f env -i PATH=$PATH {STAY.replace(chr(39), chr(34))}' EXIT; echo up >&7; sleep 300",
    "an heir of each heir": _python(
        "def heir(*_):\n"
        " if os.fork(): os._exit(0)\n"
        " os.setsid(); up()\n"
        "signal.signal(signal.SIGTERM, heir)\n"
        "daemon(stay); stay()"
    ),
    "all signals blocked": _python(
        "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())\ndaemon(stay); stay()"
    ),
    "a signal handler that stops nothing": _python(
        "for n in set(signal.valid_signals()) - {9, 19, 17}: signal.signal(n, lambda *_: None)\ndaemon(stay); stay()"
    ),
    "stopped": f"(setsid sh -c 'echo up >&7; kill -STOP $$; sleep 300' &){_WAIT}",
    "stopped without environment, ignoring TERM": f"(trap '' TERM; setsid env -i PATH=$PATH sh -c 'echo up >&7; kill -STOP $$; sleep 300' &){_WAIT}",
    # forking
    "double fork": _python("daemon(stay); time.sleep(300)"),
    "forty double forks in a row": _python(
        "def again(n=0):\n daemon(lambda: again(n + 1) or os._exit(0)) if n < 40 else stay()\nagain(); time.sleep(300)"
    ),
    "forks and exits every 5 ms": _python(_CHAIN.format(each="os.setsid(); time.sleep(0.005)")),
    "forks and exits as fast as it can": _python(_CHAIN.format(each="pass")),
    "forks into a new session as fast as it can": _python(_CHAIN.format(each="os.setsid()")),
    "forks into a new group every millisecond": _python(
        _CHAIN.format(each="os.setpgid(0, 0); time.sleep(0.001)")
    ),
    "executes itself every 5 ms": f'(setsid env -i PATH=$PATH sh -c \'echo up >&7; e="[ \\$1 -gt 9999 ] && exit; sleep 0.005; exec sh -c \\"\\$0\\" \\"\\$0\\" \\$((\\$1+1))"; exec sh -c "$e" "$e" 1\' &){_WAIT}',
    "two that revive each other": _python(
        "def watch(other):\n"
        " signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        " while time.monotonic() < END:\n"
        "  r, w = os.pipe()\n"
        "  if os.fork() == 0:\n"
        "   os.close(w); os.setsid(); os.read(r, 1); os.close(r); continue\n"
        "  os.close(r); up(); time.sleep(300)\n"
        "daemon(lambda: watch(0)); time.sleep(300)"
    ),
    "a tree of sixty that fork when one dies": _python(
        "def grow(n):\n"
        " signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        " os.setsid()\n"
        " while time.monotonic() < END:\n"
        "  pid = os.fork()\n"
        "  if pid == 0:\n"
        "   if n: grow(n - 1)\n"
        "   stay()\n"
        "  os.waitpid(pid, 0)\n"
        "for _ in range(12): daemon(lambda: grow(4))\n"
        "time.sleep(300)"
    ),
    "a child of its parent (CLONE_PARENT)": _python(
        'if libc.syscall(56 if os.uname().machine == "x86_64" else 220, 0x8000 | 17, 0, 0, 0, 0) == 0:\n'
        ' os.setsid(); os.execve("/bin/sh", ["sh", "-c", "echo up >&7; sleep 300"], {"PATH": "/bin:/usr/bin"})\n'
        "time.sleep(300)"
    ),
    "spawned": _python(
        'os.posix_spawn("/bin/sh", ["sh", "-c", "echo up >&7; sleep 300"], {"PATH": "/bin:/usr/bin"}, setsid=True)\n'
        "time.sleep(300)"
    ),
    "a perl daemon": 'perl -e \'use POSIX; %ENV=(PATH=>"/bin:/usr/bin"); fork and sleep 300 and exit; setsid; fork and exit; exec "sh","-c","echo up >&7; sleep 300"\'',
    # what the kernel offers
    "a process group of its own": _python("os.fork() or os.setpgid(0, 0); daemon(stay); stay()"),
    "a subreaper of its own": _python("libc.prctl(36, 1); daemon(stay); stay()"),
    "memory that may not be read": _python("libc.prctl(4, 0); daemon(stay); stay()"),
    "a thread that outlives its leader": _python(
        "def begin():\n"
        " threading.Thread(target=stay).start()\n"
        ' libc.syscall(60 if os.uname().machine == "x86_64" else 93, 0)\n'
        "daemon(begin); time.sleep(300)"
    ),
    "a thread that forks": _python("threading.Thread(target=lambda: daemon(stay)).start(); time.sleep(300)"),
    "a terminal of its own": _python(
        "import pty\nif pty.fork()[0] == 0: os.environ.clear(); stay()\ntime.sleep(300)"
    ),
    "a real-time or idle scheduler": f"(setsid env -i PATH=$PATH chrt -i 0 {STAY} &){_WAIT}",
    "a first process that was killed": f"{_ORPHAN}; sleep 0.5; kill -9 $$",
    "a group that was killed": f"{_ORPHAN}; sleep 0.5; kill -9 0",
    "a supervisor that was stopped": f"{_ORPHAN}; kill -STOP $(cut -d' ' -f4 /proc/$$/stat){_WAIT}",
    "a supervisor that was sent every signal but two": f"{_ORPHAN}; for s in HUP INT QUIT TERM USR1 USR2 ALRM SEGV; do kill -$s $(cut -d' ' -f4 /proc/$$/stat); done{_WAIT}",
}

# Only root, or who may make user namespaces.
NAMESPACES: dict[str, str] = {
    "a pid namespace": f"(setsid unshare -Upf --kill-child env -i PATH=$PATH {STAY} &){_WAIT}",
    "a pid namespace with its own init": f"(unshare -Upf sh -c 'trap \"\" TERM; echo up >&7; while :; do sleep 5; done' &){_WAIT}",
    "a mount namespace": f"(setsid unshare -Um env -i PATH=$PATH {STAY} &){_WAIT}",
}
ROOT: dict[str, str] = {
    "another user": f"(setsid setpriv --reuid 65534 --clear-groups env -i PATH=$PATH {STAY} &){_WAIT}",
    "su - with setsid and nohup": "(su -s /bin/sh - nobody -c \"setsid nohup sh -c 'echo up >&7; exec sleep 300' >/dev/null 2>&1 &\" &); sleep 300",
}

# Nobody can be certain here, so nobody says so.
UNVERIFIED: dict[str, str] = {
    "a supervisor that was killed": f"{_ORPHAN}; sleep 0.5; kill -9 $(cut -d' ' -f4 /proc/$$/stat){_WAIT}",
    "a supervisor that was killed by an orphan": f"s=$(cut -d' ' -f4 /proc/$$/stat); (setsid env -i PATH=$PATH sh -c \"echo up >&7; sleep 0.5; kill -9 $s; sleep 300\" &){_WAIT}",
}
