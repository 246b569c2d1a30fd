"""Run a program that lives no longer than whoever holds the other end of standard input.

Started as a file of its own, with the program's words as arguments, in a session of its own. When
standard input ends, because its holder closed it or died of whatever cause, the program is killed
and whatever else is in the process group with it. (The kernel's parent-death signal follows the
starting thread, not the process, and so ends programs early or never.)
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading


def main() -> None:
    """Run the program in the arguments; end with its exit status."""
    program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
    let_go = threading.Event()
    threading.Thread(target=_kill_at_end_of_input, args=(program, let_go), daemon=True).start()
    status = program.wait()
    if let_go.is_set():
        os.killpg(0, signal.SIGKILL)
    sys.exit(status if status >= 0 else 128 - status)


def _kill_at_end_of_input(program: subprocess.Popen[bytes], let_go: threading.Event) -> None:
    while os.read(0, 4096):
        pass
    let_go.set()
    # Killed first and waited for by main(), so that no zombie is left to a sleepy init.
    program.kill()


if __name__ == "__main__":
    main()
