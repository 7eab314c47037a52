"""The program of a check of the source tree: prints its problems, and exits with 1 when there are any."""

import pathlib
import sys


def run(check, failed, passed):
    """check(root) returns problems and a count. failed and passed are sentences with {} for the number of problems, or the count.

    The tree is that of the first argument, or the one that this file belongs to."""
    root = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parents[2]
    problems, count = check(root)
    for problem in problems:
        print(problem)
    print(failed.format(len(problems)) if problems else passed.format(count))
    return 1 if problems else 0
