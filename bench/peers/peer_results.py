"""What the scripts of this folder share: how times are summed up, and how results are written."""
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys


def summary(microseconds):
    ordered = sorted(microseconds)
    at = lambda share: ordered[int(share * (len(ordered) - 1))]
    return {"us": statistics.median(ordered), "low_us": at(0.1), "high_us": at(0.9)}


def said(*command):
    """What a program prints, or nothing when it is not there or fails."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as info:
            for line in info:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    named = [line.split(":", 1)[1].strip() for line in said("lscpu").splitlines() if line.startswith("Model name:")]  # not in cpuinfo on Arm
    return named[0] if named else platform.processor() or platform.machine()


def commit_name():
    """$TRIPTYCH_COMMIT, for a copy without its history, else git's."""
    here = os.path.dirname(os.path.abspath(__file__))
    return os.environ.get("TRIPTYCH_COMMIT") or said("git", "-C", here, "describe", "--always", "--dirty", "--exclude", "*") or "unknown"


def run_context():
    """The commit, the date and the driver, under the keys of the bench programs."""
    driver = said("nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader").split("\n")[0]
    date = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")
    return {"date": date, "commit": commit_name(), **({"driver": driver} if driver else {})}


def torch_context(torch, device):
    properties = torch.cuda.get_device_properties(device)
    return {"torch": torch.__version__, "gpu": properties.name, "gpu_memory_bytes": properties.total_memory}


def timed(torch, trials, call):
    """The time of a call on the GPU, by events; three calls before are not counted."""
    times = []
    for k in range(-3, trials):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        call()
        end.record()
        end.synchronize()
        if k >= 0:
            times.append(1e3 * begin.elapsed_time(end))
    return summary(times)


def triptych_with_gpu():
    """Triptych's own Python module; None, and the reason on standard error, when it is missing or sees no GPU."""
    try:
        import triptych
    except ImportError:
        print("the Python module triptych is not installed: it is left out", file=sys.stderr)
        return None
    if not triptych.cuda_available():
        print(f"triptych uses no GPU: {triptych.cuda_unavailable_reason()}", file=sys.stderr)
        return None
    return triptych


def main_by_torch(parser, trials, by_torch):
    """The program of a peer that PyTorch alone measures: by_torch(numpy, torch, options, results) returns what to say of the machine.
    Options that it adds to parser beforehand come with the others."""
    parser.add_argument("--out", help="where the JSON goes; without it: standard output")
    parser.add_argument("--trials", type=int, default=trials)
    options = parser.parse_args()
    if options.trials < 1:
        parser.error("--trials must be at least 1")
    results = []
    context = {"cpu": cpu_name(), "cores": os.cpu_count(), "trials": options.trials}
    try:
        import numpy

        if getattr(options, "check", None):
            options.check(numpy)
            return 0
        import torch

        if torch.cuda.is_available():
            context.update(by_torch(numpy, torch, options, results))
        else:
            print("PyTorch sees no GPU: nothing is measured", file=sys.stderr)
    except ImportError as error:
        print(f"{error.name} is not installed: nothing can be measured", file=sys.stderr)
    write_results(options.out, context, results)
    return 0


def write_results(path, context, results):
    """As JSON, to a file that is replaced as a whole, or to standard output when path is empty."""
    text = json.dumps({"context": {**run_context(), **context}, "benchmarks": results}, indent=2)
    if not path:
        print(text)
        return
    beside = path + ".part"
    with open(beside, "w", encoding="utf-8") as file:
        file.write(text + "\n")
    os.replace(beside, path)
