"""A shell starts what it runs in the background with SIGINT ignored, and so would every process that the tests start."""

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
