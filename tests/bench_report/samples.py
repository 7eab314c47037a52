"""Result files made up for the tests."""

import json
import os
import tempfile

CONTEXT = {"gpu": "GPU 0: NVIDIA H200, compute capability 9.0", "cpu": "CPU: Xeon, 2 of 16 logical cores, 24 GiB", "num_cpus": 16,
           "date": "2026-11-16T05:00:00", "host_name": "secret"}


def entry(name, us, low=None, high=None, **more):
    values = {"name": name + "/iterations:1/manual_time", "real_time": us, "time_unit": "us", "run_type": "iteration", **more}
    if low is not None:
        values.update(low_us=low, high_us=high)
    return values


class Files:
    """A folder of result files that goes away at the end of a with block."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def text(self, name, text):
        path = os.path.join(self.folder.name, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def results(self, name, entries, **context):
        return self.text(name, json.dumps({"context": {**CONTEXT, **context}, "benchmarks": entries}))


def loaded(*entries, **context):
    from results import load

    with Files() as files:
        return load([files.results("a.json", list(entries), **context)])
