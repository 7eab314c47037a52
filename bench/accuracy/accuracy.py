#!/usr/bin/env python3
"""How accurate Triptych is: makes every accuracy figure of the documentation again, with the Python module.

  accuracy.py --data FOLDER --out DIR                 everything (half an hour on two idle cores, minutes on a GPU)
  accuracy.py --data FOLDER --out DIR --quick         a minute: few cases, small samples; no figures to quote
  accuracy.py --only faces bodies --seeds 1 2 3       some tasks, with seeds of yours

FOLDER holds any of these; what is missing is named and left out, and synthetic data need no folder:

  faces_imm/NN_MM.jpg, asf/NN_MM.asf     faces of person NN with landmarks: some people train, the others test
  faces_wild/*.jpg, *.pts                faces of different people with landmarks: the first 3/4 train, the last 1/4 test, or --folds
  head_*/img/*, groundtruth_rect.txt     videos of a head, with its box x y w h in every frame
  mocap_cmu/*.bvh                        motions, from which points are rendered
  depth_mhad/*/depth/*.png, joints.csv   depth images of a person (Kinect, 320 x 240, mm), with the joints of the sensor's software
  stereo_middlebury/disp0GT.pfm, calib.txt   a scene without a person
  skin_uci/*.csv                         pixels B,G,R,label with label 1 for skin

For each task DIR gets <task>.json (context, columns, rows, cases: the error of every case) and pictures of the best, the median and the
worst case. The tables are printed, and are in DIR/accuracy.md.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

TASKS = {"faces": "faces", "heads": "heads", "bodies": "bodies", "body_search": "body_search", "skin": "skin_pixels", "face_confidence": "face_confidence", "face_search": "face_search",
         "head_confidence": "head_confidence", "body_confidence": "body_confidence", "shipped_model": "shipped_model"}
TITLES = {"faces": "Landmarks of faces", "heads": "Heads in videos", "bodies": "Bodies in point clouds", "body_search": "Bodies that are searched for", "skin": "Skin pixels",
          "face_confidence": "Confidence of faces", "face_search": "Faces in whole images", "head_confidence": "Confidence of heads",
          "body_confidence": "Confidence of bodies", "shipped_model": "The face model that ships"}
UNTIMED = {"body_search", "face_confidence", "head_confidence", "body_confidence"}  # no times among their results: they may run beside others


def whole(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number


def named_number(text):
    name, equals, value = text.partition("=")
    try:
        return name, int(value) if value.lstrip("-").isdigit() else float(value)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is not NAME=NUMBER")


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, metavar="FOLDER", help="the data (default: the environment variable TRIPTYCH_DATA_DIR)")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("out/accuracy"), metavar="DIR", help="for results (default: out/accuracy)")
    parser.add_argument("--only", nargs="+", choices=TASKS, default=list(TASKS), metavar="TASK", help="some of: " + ", ".join(TASKS))
    parser.add_argument("--device", default="auto", help="auto (a GPU when there is one; default), cpu, cpu:4, cuda, cuda:1")
    parser.add_argument("--seeds", nargs="+", type=whole, metavar="N", help="default: 1 2 for bodies, 1 2 3 for skin, 1 for the others")
    parser.add_argument("--folds", type=whole, metavar="K", help="each of K parts of the faces is tested in turn, trained on the others "
                        "(default: 6 for faces_imm, the last of 4 alone for faces_wild)")
    parser.add_argument("--samples", type=whole, help="of the particle filter (default: 1000 on a CPU, 4000 on a GPU)")
    parser.add_argument("--points", type=whole, help="of a cloud (default: 10000 on a CPU, 20000 on a GPU)")
    parser.add_argument("--filter", nargs="+", type=named_number, default=[], metavar="NAME=NUMBER", help="options of the particle filter for bodies, such as "
                        "max_loss_nats=0 recover_limbs=0 recover_heading=0")
    parser.add_argument("--train", nargs="+", type=named_number, default=[], metavar="NAME=NUMBER", help="options of the training of faces, such as "
                        "landmark_offset_px=0 refinement=0 mirror=0")
    parser.add_argument("--jobs", type=whole, metavar="N", help="motions that are followed at once on a CPU, each on one core (default: all cores)")
    parser.add_argument("--processes", type=whole, default=4 if (os.cpu_count() or 1) >= 8 else 1, metavar="N", help="tasks whose results are no times run "
                        "in so many processes at once (default: 4 with 8 cores or more, else 1)")
    parser.add_argument("--no-photos", action="store_true", help="pictures without the photos and depth images beneath, for data that may not be passed on")
    parser.add_argument("--calibrate", action="store_true", help="tasks of confidences also print the coefficients that fit their cases best")
    parser.add_argument("--quick", action="store_true", help="few cases, small samples, one seed")
    options = parser.parse_args(words)
    if options.data is None and os.environ.get("TRIPTYCH_DATA_DIR"):
        options.data = pathlib.Path(os.environ["TRIPTYCH_DATA_DIR"])
    return options


def with_switches(options, switches):
    """Named numbers as a dictionary, those that switch something on or off as truth values."""
    return {name: bool(value) if name in switches else value for name, value in options}


def check_filter_options(tp, options):
    """Before hours of work: the tasks of bodies make filters with these."""
    try:
        tp.capsule.ParticleFilter(tp.capsule.human(), samples=1, device="cpu", **options)
    except TypeError:
        sys.exit(f"--filter: an option is none of a ParticleFilter: {', '.join(options)}")
    except tp.Error as problem:
        sys.exit(f"--filter: {problem}")


def check_train_options(tp, options):
    faces = [tp.aam.render_face(tp.aam.random_face(1, i), 256, 256) for i in range(2)]
    try:
        tp.aam.train(*zip(*faces), **{"levels": [{"pixels": 100}], "deformations": 0, "face_classifier": False, **options})
    except TypeError:
        sys.exit(f"--train: an option is none of the training of faces, or takes another kind of value: {', '.join(options)}")
    except tp.Error as problem:
        sys.exit(f"--train: {problem}")


def gallery(pictures):
    """A Markdown table of the pictures, with their captions below."""
    cells = [[picture["kind"] for picture in pictures], ["---"] * len(pictures), [f"![{picture['kind']}]({picture['file']})" for picture in pictures],
             [picture["caption"] for picture in pictures]]
    return "\n".join("| " + " | ".join(line) + " |" for line in cells) if pictures else ""


def document(out):
    """The tables of all results in a folder, as Markdown."""
    from common import table

    parts = ["# Accuracy\n\nMade by `bench/accuracy/accuracy.py`."]
    for task, title in TITLES.items():
        path = out / f"{task}.json"
        if path.is_file():
            result = json.loads(path.read_text(encoding="utf-8"))
            made = result["context"]
            options = ", ".join(f"{key} {value}" for key, value in made["options"].items())
            parts += [f"## {title}\n\nCommit {made['commit']}, {made['date']}, {made['device']} ({made['cpu']}); {options}{'; --quick' * made['quick']}.",
                      table(result["columns"], result["rows"]), gallery(result["pictures"])]
    return "\n\n".join(filter(None, parts)) + "\n"


def note_absent(out, task, reason=None):
    """Names a task without a result in absent.txt, which the report reads; without a reason, no longer."""
    path = out / "absent.txt"
    lines = [line for line in path.read_text(encoding="utf-8").splitlines() if not line.startswith(f"{task}: ")] if path.is_file() else []
    lines += [f"{task}: {reason}"] if reason else []
    if lines:
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    else:
        path.unlink(missing_ok=True)


def run_task(task, module, job):
    """Evaluates a task and writes its result; its table, or None when it has nothing to evaluate."""
    from common import context, table, write_json

    began = time.perf_counter()
    job.pictures, job.folders = [], []
    rows, cases, options = module.evaluate(job)
    if not rows:
        job.say(f"{task}: skipped, nothing to evaluate")
        return None
    result = {"task": task, "context": context(job, options, rows), "columns": module.COLUMNS, "rows": rows, "cases": cases, "pictures": job.pictures}
    write_json(job.out / f"{task}.json", result)
    note_absent(job.out, task)
    job.say(f"{task}: {len(cases)} cases in {time.perf_counter() - began:.0f} s")
    return f"{TITLES[task]}\n\n{table(module.COLUMNS, rows)}\n"


def run_beside(words, tasks, processes):
    """Tasks in processes of their own, some at once; 1 when one of them failed."""
    def run(task):
        return subprocess.run([sys.executable, __file__, *words, "--processes", "1", "--only", task], stdout=subprocess.PIPE, text=True)

    failed = 0
    with concurrent.futures.ThreadPoolExecutor(processes) as pool:
        for done in pool.map(run, tasks):
            print(done.stdout, end="", flush=True)
            failed |= int(done.returncode != 0)
    return failed


def main(words=None):
    words = sys.argv[1:] if words is None else words
    options = arguments(words)
    try:
        import triptych as tp
    except ImportError as problem:
        sys.exit(f"{problem}: install the Python module with `pip install .` in the copy of the repository")
    from common import Job, Unusable, commit_name

    modules = {task: __import__(TASKS[task]) for task in options.only}
    if options.data is not None and not options.data.is_dir():
        sys.exit(f"--data: there is no folder {options.data}")
    filtering = with_switches(options.filter, ("recover_limbs", "recover_heading", "partitioned"))
    check_filter_options(tp, filtering)
    training = with_switches(options.train, ("mirror", "refinement", "compositional", "face_classifier"))
    if training:
        check_train_options(tp, training)
    device = {"auto": "cuda:0" if tp.cuda_available() else "cpu", "cuda": "cuda:0"}.get(options.device, options.device)
    failed = 0
    try:
        tp.describe_device(device)
        options.out.mkdir(parents=True, exist_ok=True)
        job = Job(tp, options.data.resolve() if options.data else None, options.out, device, seeds=options.seeds, quick=options.quick, folds=options.folds,
                  samples=options.samples, points=options.points, filter_options=filtering, train_options=training, jobs=options.jobs or os.cpu_count() or 1, commit=commit_name(), photos=not options.no_photos,
                  calibrate=options.calibrate)
        beside = [task for task in options.only if task in UNTIMED] if options.processes > 1 else []
        for task in (task for task in options.only if task not in beside):
            try:
                if text := run_task(task, modules[task], job):
                    print(text, flush=True)
            except (Unusable, tp.Error) as problem:
                failed = 1
                note_absent(options.out, task, problem)
                print(f"{task}: {problem}", file=sys.stderr)
        failed |= run_beside(words, beside, options.processes)
        (options.out / "accuracy.md").write_text(document(options.out), encoding="utf-8")
    except (tp.Error, OSError) as problem:
        sys.exit(f"error: {problem}")
    except KeyboardInterrupt:
        print("interrupted; the tasks that were finished are written", file=sys.stderr)
        return 130
    print(f"results in {options.out}", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())
