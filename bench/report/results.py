"""Results of the bench programs and of the scripts of bench/peers: JSON files read into entries.

A benchmark's name says what was measured:
  limit/<read, launch or copy>/<where>
  <group>/<type>/<series>/<mode>/<n>                 groups of ARRAYS
  multiply/<type>/<series>/<mode>/<rows>x<columns>
  skin/<format>/<series>/<mode>[/<width>x<height>]   or with /threads:<n> at the end
  capsule/<loss>/<series>/<mode>/<samples>x<capsules>x<points>
  aam/<storage>/<series>/<mode>/<faces>x<modes>x<pixels>
Any other name is of the kind "other": it stands in a plain table.
"""

import json
import math
import os
import platform
import re
import subprocess
from dataclasses import dataclass, field

ARRAYS = ["sum", "min", "max", "argmin", "argmax", "minmax", "dot", "moments", "sum_cpu"]
SIZES = {"multiply": 2, "skin": 2, "capsule": 3, "aam": 3}
UNITS = {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}
APPENDED = re.compile(r"/(manual_time|real_time|process_time|iterations:\d+|repeats:\d+|min_time:[\d.]+|min_warmup_time:[\d.]+)")
# What Google Benchmark writes for every entry; any other number is a counter of the bench.
STANDARD = {"family_index", "per_family_instance_index", "repetitions", "repetition_index", "threads", "iterations", "real_time", "cpu_time",
            "us", "call_us", "low_us", "high_us", "bytes", "share", "GB_per_s"}


class ResultError(Exception):
    """A file does not hold results; the message is one sentence with the file's name."""


@dataclass
class Entry:
    text: str  # the whole name, without what Google Benchmark appends
    kind: str = "other"
    group: str = ""
    type: str = ""
    series: str = ""
    mode: str = ""
    size: tuple = ()
    threads: int = 0  # of a peer; 0: the name says none
    us: float = 0  # median
    low: float | None = None  # 10th and 90th percentile, both or neither
    high: float | None = None
    bytes: float | None = None
    share: float | None = None  # of the read bandwidth measured in the same run
    counters: dict = field(default_factory=dict)
    source: str = ""  # its file's name without the ending
    limits: dict = field(default_factory=dict, repr=False)  # of the same file: {"read/gpu": GB/s, "launch/gpu": us, ...}

    @property
    def gb_per_s(self):
        return self.bytes / self.us / 1e3 if self.bytes else None

    def share_of(self, limit):
        """What the bench measured beside the entry; else the entry's rate over a limit of the same file."""
        if self.share is not None:
            return self.share
        return self.gb_per_s / self.limits[limit] if self.gb_per_s and limit in self.limits else None


def parse_name(text):
    text = APPENDED.sub("", text)
    parts = text.split("/")
    entry = Entry(text, group=parts[0])
    if parts[0] == "limit" and len(parts) == 3:
        entry.kind, entry.type, entry.series = "limit", parts[1], parts[2]
    elif len(parts) in (4, 5) and (parts[0] in ARRAYS or parts[0] in SIZES):
        numbers = SIZES.get(parts[0], 1)
        last = parts[4] if len(parts) == 5 else None
        size = re.fullmatch("x".join([r"(\d+)"] * numbers), last or "")
        threads = re.fullmatch(r"threads:(\d+)", last or "")
        if size or (parts[0] == "skin" and (last is None or threads)):
            entry.kind = "array" if parts[0] in ARRAYS else parts[0]
            entry.type, entry.series, entry.mode = parts[1:4]
            entry.size = tuple(int(n) for n in size.groups()) if size else ()
            entry.threads = int(threads[1]) if threads else 0
    return entry


def number(values, key):
    value = values.get(key)
    plausible = isinstance(value, (int, float)) and not isinstance(value, bool) and 1e-6 <= value <= 1e18
    return float(value) if plausible else None


@dataclass
class Results:
    facts: dict  # what is known of the machine and the run
    entries: list
    failures: list  # (name, reason)

    def find(self, kind, series, mode=None, type=None, size=None):
        """The first entry that agrees in everything that is given; None when there is none."""
        for e in self.entries:
            if e.kind == kind and e.series == series and mode in (None, e.mode) and type in (None, e.type) and size in (None, e.size):
                return e
        return None

    def limit(self, text):
        """A measured limit, the first of its name: GB/s where bytes were moved, else microseconds."""
        for e in self.entries:
            if e.text == "limit/" + text:
                return e.gb_per_s or e.us
        return None

    def on(self):
        """Where, as charts say it: "NVIDIA H200 and its host"."""
        return self.machine("gpu", "") + " and its host" if "gpu" in self.facts else self.machine("cpu", "the CPU")

    def machine(self, key, default):
        """"NVIDIA H200" of "GPU 0: NVIDIA H200, compute capability 9.0, ..."."""
        return self.facts.get(key, default).split(": ", 1)[-1].split(",")[0]


def read_file(path):
    expected = "expected what a bench program writes with --benchmark_out=FILE"
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise ResultError(f"{path}: this is not JSON; {expected}") from error
    if not isinstance(data, dict) or not isinstance(data.get("context"), dict) or not isinstance(data.get("benchmarks"), list):
        raise ResultError(f"{path}: no results of a bench program (context and benchmarks); {expected}")
    return data


def is_results(path):
    try:
        read_file(path)
        return True
    except ResultError:
        return False


def read_facts(context):
    hidden = {"host_name", "executable", "library_version", "library_build_type", "date", "json_schema_version"}
    facts = {key: value for key, value in context.items() if isinstance(value, str) and key not in hidden}
    processor = facts.pop("processor", "")
    if processor and "unknown processor" in facts.get("cpu", ""):
        facts["cpu"] = facts["cpu"].replace("unknown processor", processor)
    if isinstance(context.get("library_build_type"), str):
        facts["Google Benchmark"] = " ".join(filter(None, [context.get("library_version"), context["library_build_type"] + " build"]))
    for key in ("num_cpus", "cores"):
        if isinstance(context.get(key), int):
            facts["logical cores"] = str(context[key])
            break
    load = context.get("load_avg")
    if isinstance(load, list) and load and load[0] > int(facts.get("logical cores", 1)):
        facts["other work"] = f"load {load[0]:.0f} at the start"
    if isinstance(context.get("date"), str):
        facts["date"] = context["date"][:10]
    first = ["gpu", "driver", "cpu", "commit", "date", "compiler", "cuda", "cccl", "Google Benchmark", "mode"]
    return dict(sorted(facts.items(), key=lambda fact: first.index(fact[0]) if fact[0] in first else len(first)))


def read_entry(values, path, failures):
    entry = parse_name(str(values.get("name", "")))
    if values.get("error_occurred") or values.get("skipped"):
        failures.append((entry.text, str(values.get("error_message") or values.get("skip_message") or "no reason given")))
        return None
    time = next((values[key] for key in ("real_time", "us", "call_us") if key in values), None)
    unit = UNITS.get(values.get("time_unit", "us"))
    if not entry.text or not isinstance(time, (int, float)) or unit is None:
        raise ResultError(f"{path}: an entry without a name, a time or a known unit: {json.dumps(values)[:120]}")
    entry.us = time * unit
    if not 1e-6 <= entry.us <= 1e18:
        failures.append((entry.text, f"its time makes no sense: {entry.us:g} us"))
        return None
    entry.low, entry.high = number(values, "low_us"), number(values, "high_us")
    if entry.low is None or entry.high is None or entry.low > entry.high:
        entry.low = entry.high = None
    entry.bytes, entry.share = number(values, "bytes"), number(values, "share")
    entry.counters = {key: float(value) for key, value in values.items()
                      if key not in STANDARD and isinstance(value, (int, float)) and not isinstance(value, bool)}
    return entry


def load(paths):
    """All files as one set. A name that occurs several times counts as repetitions: the entry of the middle time stays. Limits stay apart, since
    each file has its own."""
    results, repetitions = Results({}, [], []), {}
    for path in paths:
        data = read_file(path)
        for key, value in read_facts(data["context"]).items():
            known = results.facts.get(key)
            if known is None or known in value:
                results.facts[key] = value
            elif value not in known:
                if key == "cpu" and "unknown processor" in value:
                    continue  # a program that could not name it
                if key in ("gpu", "cpu") and value.split(": ")[-1].split(",")[0] not in known:
                    raise ResultError(f"{path}: comes from another machine ({value}, not {known}): make one report per machine")
                results.facts[key] = value if key in ("gpu", "cpu") else known + ", " + value
        limits = {}
        for values in data["benchmarks"]:
            if not isinstance(values, dict):
                raise ResultError(f"{path}: an entry that is not an object")
            if values.get("run_type") != "aggregate":
                entry = read_entry(values, path, results.failures)
                if entry:
                    entry.source, entry.limits = os.path.splitext(os.path.basename(path))[0], limits
                    if entry.kind == "limit":
                        limits[entry.text[6:]] = entry.gb_per_s or entry.us
                    repetitions.setdefault((entry.text, entry.source if entry.kind == "limit" else ""), []).append(entry)
    for same in repetitions.values():
        results.entries.append(sorted(same, key=lambda e: e.us)[(len(same) - 1) // 2])
    return results


def geometric_mean(values):
    return math.exp(sum(math.log(v) for v in values) / len(values))


def fitted_exponent(points):
    """b of time = a * size^b by least squares in logarithms over (size, time); None for fewer than three sizes."""
    logs = [(math.log(n), math.log(us)) for n, us in points]
    if len({x for x, _ in logs}) < 3:
        return None
    mean_x, mean_y = (sum(values) / len(logs) for values in zip(*logs))
    return sum((x - mean_x) * (y - mean_y) for x, y in logs) / sum((x - mean_x) ** 2 for x, _ in logs)


def machine_slug(gpu, cpu, cores):
    """The name of a machine's folder: h200, xeon_2_cores."""
    name = (gpu or cpu).split(": ", 1)[-1].split(",")[0]
    name = re.sub(r"\((R|TM|C)\)|@.*|\b(NVIDIA|Intel|AMD|ARM|Processor|CPU|Core|GPU)\b|\d+-Core", " ", name, flags=re.I)
    words = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_") or "machine"
    return words if gpu else f"{words}_{cores}_cores"


def this_machine(with_gpu=True):
    """The slug of the machine that this program runs on."""
    def first_line(*command):
        try:
            lines = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "LC_ALL": "C"}).stdout.splitlines()
        except (OSError, subprocess.CalledProcessError):
            return []
        return [line.strip() for line in lines]
    gpu = first_line("nvidia-smi", "--query-gpu=name", "--format=csv,noheader")[:1] if with_gpu else []
    cpu = [line.split(":", 1)[1].strip() for line in first_line("lscpu") if line.startswith("Model name:")]
    return machine_slug("".join(gpu), (cpu or [platform.machine()])[0], len(os.sched_getaffinity(0)))
