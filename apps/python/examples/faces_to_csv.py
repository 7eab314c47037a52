"""The landmarks of all faces in a folder of images, as one CSV file; needs `pip install imageio`.

python faces_to_csv.py photos/ model.aam faces.csv
"""

import csv
import sys
from pathlib import Path

import imageio.v3 as imageio
import numpy as np

import triptych as tp


def grey(path):
    image = np.asarray(imageio.imread(path))
    return image if image.ndim == 2 else np.rint(image[:, :, :3] @ [0.299, 0.587, 0.114]).astype(np.uint8)


def faces_of(folder, model, device="auto"):
    """Yields (image's name, number of the face, Fit)."""
    fitter = tp.aam.Fitter(model, max_width=4096, max_height=4096, max_faces=64, device=device)
    for path in sorted(Path(folder).iterdir()):
        for number, fit in enumerate(tp.aam.find_faces(fitter, grey(path))):
            yield path.name, number, fit


def main(folder, model, out):
    with open(out, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow(["image", "face", "score", "landmark", "x_px", "y_px"])
        for image, number, fit in faces_of(folder, tp.aam.Model.load(model)):
            table.writerows([image, number, fit.score, i, x, y] for i, (x, y) in enumerate(fit.landmarks))


if __name__ == "__main__":
    main(*sys.argv[1:4])
