#!/usr/bin/env python3
"""What a user would find facial landmarks with instead: OpenCV's FacemarkLBF and FacemarkAAM, dlib, MediaPipe; and Triptych beside them.

Every method gets the same photos of LFPW (TRIPTYCH_DATA_DIR/faces_wild, 68 landmarks) and the box of the true landmarks, but MediaPipe, which
finds the face itself and has other landmarks: only the outer corners of its eyes are compared. Triptych, and dlib as peer_dlib_trained, train
on the first half of the photos; all are tested on the second half. The others come trained, perhaps on these photos. An entry has the time
of a photo on one core and the mean distance of the landmarks in shares of the distance between the outer corners of the eyes (mean_error). A
method whose mean_error is above 0.2 counts as broken and is not timed.

Models are files in TRIPTYCH_DATA_DIR/models or --models: lbfmodel.yaml, facemark_aam.yml, shape_predictor_68_face_landmarks.dat,
face_landmarker.task. Writes JSON with the hardware in it; what is not installed or has no model is said and left out.
"""
import argparse
import os
import pathlib
import sys
import time

from peer_results import cpu_name, summary, write_results

MAX_ERROR = 0.2
EYES = [36, 45]  # the outer corners, of 68 landmarks
MEDIAPIPE_EYES = [33, 263]


def read_faces(cv2, numpy, folder):
    """Colour photos with their landmarks, 68 x 2."""
    faces = []
    for path in sorted(folder.glob("*.pts")):
        text = path.read_text(encoding="utf-8")
        points = numpy.array(text[text.index("{") + 1 : text.index("}")].split(), float).reshape(-1, 2)
        photo = cv2.imread(str(path.with_suffix(".jpg")))
        if photo is not None:
            faces.append((photo, points))
    return faces


def box_of(points):
    """x, y, width, height of the landmarks, in whole pixels."""
    low, high = points.min(0), points.max(0)
    return [int(v) for v in (*low, *(high - low))]


def by_facemark(cv2, numpy, create, model):
    facemark = create()
    facemark.loadModel(str(model))

    def fit(photo, points):
        found, landmarks = facemark.fit(photo, numpy.array([box_of(points)]))
        return landmarks[0].reshape(-1, 2) if found else None

    return fit


def dlib_box(dlib, points):
    x, y, width, height = box_of(points)
    return dlib.rectangle(x, y, x + width, y + height)


def with_dlib(numpy, dlib, predictor):
    def fit(photo, points):
        shape = predictor(numpy.ascontiguousarray(photo[..., ::-1]), dlib_box(dlib, points))
        return numpy.array([(p.x, p.y) for p in shape.parts()], float)

    return fit


def by_dlib(cv2, numpy, dlib, model):
    return with_dlib(numpy, dlib, dlib.shape_predictor(str(model)))


def by_dlib_trained(cv2, numpy, dlib, faces):
    """dlib's own trainer, with half of its usual starts of a face: the full number takes a minute."""
    options = dlib.shape_predictor_training_options()
    options.oversampling_amount = 10
    options.num_threads = os.cpu_count() or 1
    marks = [[dlib.full_object_detection(dlib_box(dlib, points), [dlib.point(int(round(x)), int(round(y))) for x, y in points])] for _, points in faces]
    return with_dlib(numpy, dlib, dlib.train_shape_predictor([numpy.ascontiguousarray(photo[..., ::-1]) for photo, _ in faces], marks, options))


def by_mediapipe(cv2, numpy, mediapipe, model):
    vision = mediapipe.tasks.vision
    options = vision.FaceLandmarkerOptions(base_options=mediapipe.tasks.BaseOptions(model_asset_path=str(model)))
    landmarker = vision.FaceLandmarker.create_from_options(options)

    def fit(photo, _):
        image = mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=numpy.ascontiguousarray(photo[..., ::-1]))
        faces = landmarker.detect(image).face_landmarks
        height, width = photo.shape[:2]
        return numpy.array([(faces[0][k].x * width, faces[0][k].y * height) for k in MEDIAPIPE_EYES]) if faces else None

    return fit


def by_triptych(cv2, numpy, tp, faces):
    grey = lambda photo: cv2.cvtColor(photo, cv2.COLOR_BGR2GRAY)
    fitter = tp.aam.Fitter(tp.aam.train([grey(photo) for photo, _ in faces], [points for _, points in faces]), device="cpu:1")
    return lambda photo, points: fitter(grey(photo), box=box_of(points)).landmarks


def measure(numpy, name, fit, faces, results):
    times, errors = [], []
    fit(*faces[0])  # not counted
    for photo, points in faces:
        begin = time.perf_counter()
        found = fit(photo, points)
        times.append(1e6 * (time.perf_counter() - begin))
        if found is not None:
            true = points if len(found) == len(points) else points[EYES]
            errors.append(numpy.linalg.norm(found - true, axis=1).mean() / numpy.linalg.norm(points[EYES[0]] - points[EYES[1]]))
    error = float(numpy.mean(errors)) if errors else float("inf")
    if error > MAX_ERROR:
        print(f"{name} has a mean error of {error:.2f} of the eyes' distance: not timed", file=sys.stderr)
        return
    results.append({"name": f"landmarks/wild/{name}", **summary(times), "mean_error": error, "found": len(errors), "faces": len(faces)})


def measure_all(cv2, numpy, options, faces, results, context):
    train, test = faces[: len(faces) // 2], faces[len(faces) // 2 :][: options.faces]

    def peer(name, model, make):
        path = options.models / model
        if not path.is_file():
            print(f"the folder of models has no {model}: {name} is left out", file=sys.stderr)
            return
        measure(numpy, name, make(path), test, results)

    for name, creator, model in (("peer_opencv_lbf", "createFacemarkLBF", "lbfmodel.yaml"), ("peer_opencv_aam", "createFacemarkAAM", "facemark_aam.yml")):
        if hasattr(cv2, "face") and hasattr(cv2.face, creator):
            peer(name, model, lambda path, create=getattr(cv2.face, creator): by_facemark(cv2, numpy, create, path))
        else:
            print(f"this OpenCV has no {creator}: {name} is left out", file=sys.stderr)
    for module, model, make in (("dlib", "shape_predictor_68_face_landmarks.dat", by_dlib), ("mediapipe", "face_landmarker.task", by_mediapipe)):
        try:
            package = __import__(module)
        except ImportError:
            print(f"{module} is not installed: it is left out", file=sys.stderr)
            continue
        context[module] = package.__version__
        if module == "dlib":
            measure(numpy, "peer_dlib_trained", by_dlib_trained(cv2, numpy, package, train), test, results)
        peer(f"peer_{module}", model, lambda path, make=make, package=package: make(cv2, numpy, package, path))
    try:
        import triptych

        measure(numpy, "python_triptych", by_triptych(cv2, numpy, triptych, train), test, results)
    except ImportError:
        print("the Python module triptych is not installed: it is left out", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", help="where the JSON goes; without it: standard output")
    parser.add_argument("--data", default=os.environ.get("TRIPTYCH_DATA_DIR"), help="folder with faces_wild/; default: TRIPTYCH_DATA_DIR")
    parser.add_argument("--models", type=pathlib.Path, help="folder of the models; default: models/ in the data")
    parser.add_argument("--faces", type=int, default=100, help="how many photos are tested")
    options = parser.parse_args()
    options.models = options.models or pathlib.Path(options.data or "") / "models"
    results = []
    context = {"cpu": cpu_name(), "cores": os.cpu_count()}
    try:
        import cv2
        import numpy
    except ImportError as error:
        print(f"{error.name} is not installed: nothing can be measured", file=sys.stderr)
        write_results(options.out, context, results)
        return 0
    context["opencv"] = cv2.__version__
    cv2.setNumThreads(1)
    faces = read_faces(cv2, numpy, pathlib.Path(options.data) / "faces_wild") if options.data else []
    if len(faces) < 4:
        print("there is no faces_wild/ in TRIPTYCH_DATA_DIR: nothing is measured", file=sys.stderr)
    else:
        measure_all(cv2, numpy, options, faces, results, context)
    write_results(options.out, context, results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
