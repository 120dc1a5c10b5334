"""What all tests need: interrupts must arrive, also where tests run in the background of a shell,
which starts them with SIGINT ignored, and so would be what they start."""

import signal

signal.signal(signal.SIGINT, signal.default_int_handler)
