"""The code in the README runs as it stands, on small synthetic data, with fewer samples."""

import re
from pathlib import Path

import numpy as np

import triptych as tp

README = Path(__file__).resolve().parent.parent / "README.md"


def test_the_first_screen(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scene = tp.skin.SyntheticScene(width=160, height=120, frames=4)
    human = tp.capsule.human(height=1.8)
    walk = tp.capsule.place_in_view(human, tp.capsule.make_walk(human, frames=2))
    faces = [tp.aam.render_face(tp.aam.random_face(1, i), 256, 256) for i in range(4)]
    names = dict(zip("xywh", scene.truth(0).box))
    names |= {
        "frame": scene[0],
        "video": list(scene),
        "clouds": [tp.capsule.render_points(human.capsules(pose), points=200) for pose in walk],
        "images": [image for image, _ in faces],
        "landmarks": [landmarks for _, landmarks in faces],
        "image": faces[0][0],
        "box": tp.aam.bounds(faces[0][1]),
        "array": np.arange(10.0),
    }
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(), re.DOTALL)
    assert code.count("samples=4000") == 1
    exec(code.replace("samples=4000", "samples=100"), names)
    assert names["head"].found and names["head"].distance_m > 0
    assert names["poses"][0].joints.shape == (24, 3) and names["poses"][0].covariance.shape == (24, 3, 3)
    assert len(tp.capsule.load_bvh("walk.bvh")[1]) == 2
    assert names["fit"].landmarks.shape == (68, 2) and names["fit"].error >= 0
    assert names["pose"].rotation.shape == (3, 3)
    assert names["total"] == 45.0
