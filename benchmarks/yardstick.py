"""How fast this machine is: the CPU seconds of 30 million additions in plain Python; targets are for 2 of them."""

from __future__ import annotations

import time

SECONDS = 2.0
_LOOP = compile("x = 0\nfor i in range(3_000_000):\n    x += i\n", "loop", "exec")


def yardstick() -> float:
    """Return the CPU seconds of the loop, ten times those of a tenth of it."""
    began = time.process_time()
    exec(_LOOP, {})
    return 10.0 * (time.process_time() - began)


if __name__ == "__main__":
    print(f"30 million additions take {yardstick():.1f} s of CPU here; the times on the pages are for {SECONDS:g} s")
