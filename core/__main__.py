"""`python -m core`: fit, encode, decode, runs, models, assets, serve."""

import os
import sys

# One thread in every numeric library, before any is imported: small trainings are faster so, a page beside them keeps
# a core, and the same numbers come out as on a worker.
for _name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

if __name__ == "__main__":
    from core.terminal.cli import main

    sys.exit(main(sys.argv[1:]))
