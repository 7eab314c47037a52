"""python -m triptych: the trackers on files of yours, or on synthetic data when no file is given."""

from __future__ import annotations

import argparse
import csv
import sys
import time
from pathlib import Path

import numpy as np

import triptych as tp

from . import _frames, _pictures


def box(text: str) -> tuple[float, ...]:
    numbers = tuple(float(word) for word in text.split(","))
    if len(numbers) != 4:
        raise argparse.ArgumentTypeError(f"{text!r} is not x,y,width,height")
    return numbers


def progress(words: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{words}\033[K", end="", file=sys.stderr, flush=True)


def finish(what: str, found: int, frames: int, seconds: float, files: list[Path]) -> int:
    progress("")
    print(f"{what} found in {found} of {frames} frames, {frames / max(seconds, 1e-9):.3g} frames per second")
    for file in filter(Path.exists, files):
        print(f"  {file}")
    return 0 if found else 1


class Table:
    """A CSV file that grows row by row. It and its folder are made with the first row."""

    def __init__(self, path: Path, columns: list[str]):
        self.path, self.columns, self.file = path, columns, None

    def row(self, *values) -> None:
        if self.file is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.file = open(self.path, "w", newline="")
            self.writer = csv.writer(self.file)
            self.writer.writerow(self.columns)
        self.writer.writerow([f"{value:.6g}" if isinstance(value, float) else value for value in values])
        self.file.flush()


def track_head(args: argparse.Namespace) -> int:
    face = args.face
    if args.input is None:
        scene = tp.skin.SyntheticScene(width=640, height=480, frames=90, distractor=True)
        frames, face = iter(scene), face or scene.truth(0).box
    else:
        frames = _frames.colour_frames(args.input)
    if face is None:
        raise tp.InvalidArgument("--face: give the face's box in the first frame, as x,y,width,height")
    csv_file, picture_file = args.out / "head.csv", args.out / "head.png"
    table = Table(csv_file, ["frame", "status", "score", "x_px", "y_px", "distance_m", "latency_us"])
    tracker, picture, found, count, seconds = None, None, 0, 0, 0.0
    for count, frame in enumerate(frames, 1):
        if tracker is None:
            tracker = tp.skin.Tracker.from_box(frame, face, max_width=frame.shape[1], max_height=frame.shape[0], device=args.device)
        began = time.perf_counter()
        head = tracker(frame)
        seconds += time.perf_counter() - began
        table.row(count - 1, head.status, head.score, head.x_px, head.y_px, head.distance_m, head.latency_us)
        if args.view is not None:
            tp.view(image=frame, head=head, frame=count, to=args.view or None)
        if head.found:
            found += 1
            picture = _pictures.colour_of(frame)
            e = head.ellipse
            _pictures.draw_ellipse(picture, head.x_px, head.y_px, e.semi_major_px, e.semi_minor_px, e.angle_rad)
        progress(f"frame {count}: {head.status}")
    if picture is not None:
        _pictures.write_png(picture_file, picture)
    return finish("the head was", found, count, seconds, [csv_file] + [picture_file] * (picture is not None))


def draw_body(skeleton: tp.capsule.Skeleton, points: np.ndarray, joints: np.ndarray) -> np.ndarray:
    """The cloud and the bones as seen by a camera at the origin that looks along +z, y up."""
    size = 480
    picture = np.full((size, size, 3), 24, np.uint8)
    everything = np.concatenate([points, joints])
    low, high = np.percentile(everything[:, :2], [1, 99], axis=0)
    scale = 0.85 * size / max(float((high - low).max()), 1e-3)

    def at(positions: np.ndarray) -> np.ndarray:
        xy = (positions[:, :2] - (low + high) / 2) * scale
        return np.stack([size / 2 + xy[:, 0], size / 2 - xy[:, 1]], axis=1)

    _pictures.draw_points(picture, at(points), (120, 120, 130), 0)
    places = at(joints)
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            _pictures.draw_line(picture, places[parent], places[joint], (255, 190, 60), 1)
    return picture


def track_body(args: argparse.Namespace) -> int:
    skeleton = tp.capsule.human(height=args.height)
    if args.input:
        clouds = _frames.clouds(args.input)
    else:
        walk = tp.capsule.place_in_view(skeleton, tp.capsule.make_walk(skeleton, frames=30))
        clouds = (tp.capsule.render_points(skeleton.capsules(pose), points=1500, seed=i + 1) for i, pose in enumerate(walk))
    csv_file, bvh_file, picture_file = args.out / "joints.csv", args.out / "body.bvh", args.out / "body.png"
    names = skeleton.joint_names
    table = Table(csv_file, ["frame", "joint", "x_m", "y_m", "z_m"])
    poses, picture, found, count, seconds = [], None, 0, 0, 0.0
    body = tp.capsule.ParticleFilter(skeleton, samples=args.samples, device=args.device)
    for count, cloud in enumerate(clouds, 1):
        progress(f"frame {count}" + (": searching for the first pose" if count == 1 else ""))
        began = time.perf_counter()
        estimate = body(cloud)
        seconds += time.perf_counter() - began
        if args.view is not None:
            tp.view(points=cloud, skeleton=skeleton, body=estimate, frame=count, to=args.view or None)
        if estimate.found:
            found += 1
            poses.append(estimate)
            for name, joint in zip(names, estimate.joints):
                table.row(count - 1, name, *map(float, joint))
            picture = draw_body(skeleton, cloud, estimate.joints)
    files = [csv_file]
    if poses:
        tp.capsule.save_bvh(bvh_file, skeleton, poses)
        _pictures.write_png(picture_file, picture)
        files += [bvh_file, picture_file]
    return finish("the body was", found, count, seconds, files)


def synthetic_model() -> tp.aam.Model:
    progress("training a model on 60 synthetic faces")
    faces = [tp.aam.render_face(tp.aam.random_face(1, i), 256, 256) for i in range(60)]
    return tp.aam.train(*zip(*faces))


def fit_faces(args: argparse.Namespace) -> int:
    if args.model:
        model = tp.aam.Model.load(args.model)
    else:  # images of yours: the model for photographs
        model = tp.aam.default_model() if args.input else synthetic_model()
    files, csv_file = [args.out / "faces.csv"], args.out / "faces.csv"
    table = Table(csv_file, ["image", "face", "status", "score", "confidence", "landmark", "x_px", "y_px"])
    images = [(path, _frames.grey_image(path)) for path in args.input]
    if not images:
        images = [(f"synthetic_{i}", tp.aam.render_face(tp.aam.random_face(2, i), 256, 256)[0]) for i in range(4)]
    found, seconds = 0, 0.0
    for name, image in images:
        progress(f"fitting {name}")
        began = time.perf_counter()
        fitter = tp.aam.Fitter(model, max_width=image.shape[1], max_height=image.shape[0], max_faces=64, device=args.device)
        fits = [fitter(image, box=args.face)] if args.face else tp.aam.find_faces(fitter, image)
        seconds += time.perf_counter() - began
        fits = [fit for fit in fits if fit.found]
        found += bool(fits)
        picture = _pictures.colour_of(image)
        for number, fit in enumerate(fits):
            _pictures.draw_points(picture, fit.landmarks)
            for index, (x, y) in enumerate(fit.landmarks):
                table.row(str(name), number, fit.status, fit.score, fit.confidence, index, float(x), float(y))
        if args.view is not None:
            tp.view(image=image, landmarks=np.concatenate([fit.landmarks for fit in fits]) if fits else np.zeros((0, 2)), to=args.view or None)
        picture_file = args.out / f"{Path(name).stem}_face.png"
        args.out.mkdir(parents=True, exist_ok=True)
        _pictures.write_png(picture_file, picture)
        files.append(picture_file)
    return finish("faces were", found, len(images), seconds, files)


def show_info(_: argparse.Namespace) -> int:
    print(f"triptych {tp.__version__}, {'with' if tp.built_with_cuda() else 'without'} CUDA")
    for device in tp.devices():
        print(f"  {device}: {tp.describe_device(device)}")
    if not tp.cuda_available():
        print(f"  no GPU: {tp.cuda_unavailable_reason()}")
    return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m triptych", description="Track heads, bodies and faces in your files, or in synthetic data when no file is given.")
    commands = top.add_subparsers(dest="command", required=True, metavar="head | body | face | info")

    def add(name: str, function, text: str, epilog: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=text, description=text, epilog=epilog)
        command.set_defaults(function=function)
        if name != "info":
            command.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="where the results go (default: out)")
            command.add_argument("--device", default="auto", help="auto (default), cpu, cpu:4, cuda:0" + (", joint" if name == "head" else ""))
            command.add_argument("--view", nargs="?", const="", metavar="FILE", help="show it in Rerun, or record it in FILE (.rrd)")
        return command

    head = add("head", track_head, "Follow a head through colour frames.", "example: python -m triptych head webcam.mp4 --face 300,120,90,120")
    head.add_argument("input", nargs="?", help="a video, an image, a folder of images, or an .npy file of (n, height, width, 3) uint8")
    head.add_argument("--face", type=box, metavar="X,Y,W,H", help="the face in the first frame, in pixels")
    body = add("body", track_body, "Follow a person through clouds of points, in metres, y up, the camera at the origin.", "example: python -m triptych body clouds/ --height 1.8")
    body.add_argument("input", nargs="*", help="clouds as .npy, .ply or text, or folders of them, in the order of their names")
    body.add_argument("--height", type=float, default=1.75, help="of the person, in metres (default: 1.75)")
    body.add_argument("--samples", type=int, default=0, help="of the particle filter (default: 1000 on a CPU, 2000 on a GPU)")
    face = add("face", fit_faces, "Find faces in images and their landmarks.", "example: python -m triptych face photo.jpg")
    face.add_argument("input", nargs="*", help="images")
    face.add_argument("--model", type=Path, help="a model that triptych.aam.train or aam_demo made (default: the model for photographs)")
    face.add_argument("--face", type=box, metavar="X,Y,W,H", help="the face's box, instead of a search")
    add("info", show_info, "Show the version and the devices.", "")
    return top


def main(arguments: list[str] | None = None) -> int:
    args = parser().parse_args(arguments)
    try:
        return args.function(args)
    except (tp.Error, OSError) as problem:
        progress("")
        print(f"error: {problem}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        progress("")
        print("interrupted; the table holds the frames so far", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
