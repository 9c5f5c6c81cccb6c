"""What the processes that tests start have in common."""

import signal


def heed_interrupts() -> None:
    """Make a child end by SIGINT, as one that somebody started by hand does.

    A run of tests in the background ignores the signal, and what it starts would too:
    to be given to :class:`subprocess.Popen` as ``preexec_fn``.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
