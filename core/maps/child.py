"""The process that lays out a map: reads vectors from its input, writes one JSON object a line to its output.

It ends by itself when the process that started it is gone.
"""

import base64
import json
import os
import sys
import threading
import time


def main() -> None:
    """Read a request (a line of JSON, then float32 numbers), report, and write the points."""
    out, source = sys.stdout, sys.stdin.buffer
    if hasattr(os, "nice"):
        os.nice(10)  # the page comes first
    request = json.loads(source.readline())
    n, d = request["n"], request["d"]
    raw = source.read(4 * n * d)
    threading.Thread(target=_leave_with, args=(request["parent"],), daemon=True).start()
    import numpy as np

    from core.errors import InputError
    from core.maps.plane import project, trust

    def say(**line) -> None:
        out.write(json.dumps(line) + "\n")
        out.flush()

    x = np.frombuffer(raw, "<f4").reshape(n, d)
    try:
        points = project(
            x,
            request["method"],
            seed=request["seed"],
            neighbours=request["neighbours"],
            report=lambda stage, share: say(stage=stage, share=share),
        )
        say(stage="measuring", share=0.97)
        kept = trust(x, points)
    except InputError as error:
        say(error=str(error))
        return
    say(points=base64.b64encode(points.astype("<f4").tobytes()).decode(), trust=kept)


def _leave_with(parent: int) -> None:
    """End when the parent ends, however it ends: its death changes who our parent is.

    A closed input would tell it sooner, but a read that waits there holds a lock that Python wants at its exit.
    """
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(1)


if __name__ == "__main__":
    main()
