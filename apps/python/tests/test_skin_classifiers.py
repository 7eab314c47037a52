"""triptych.skin: classifiers against their definitions in NumPy, training, files, pickle."""

import pickle

import numpy as np
import pytest

import triptych as tp

ELLIPSE = tp.skin.ChrominanceEllipse(mean=(155, 105), precision=(0.01, 0.002, 0.02), edge=4, softness=3)
PAIR = tp.skin.GaussianPair(
    "rgb",
    tp.skin.GaussianPair.Normal((200, 150, 130), np.diag([1e-3, 2e-3, 3e-3]) + 1e-4, -12),
    tp.skin.GaussianPair.Normal((90, 95, 100), np.diag([2e-4, 2e-4, 2e-4]), -13),
)


@pytest.fixture
def colours(rng):
    return rng.integers(0, 256, (500, 3), dtype=np.uint8)


@pytest.fixture
def labelled(rng):
    """Skin and other colours as two clouds."""
    skin = np.clip(rng.normal((200, 150, 130), (15, 12, 12), (600, 3)), 0, 255)
    other = np.clip(rng.normal((90, 110, 120), (40, 30, 30), (900, 3)), 0, 255)
    return np.concatenate((skin, other)).astype(np.uint8), np.arange(1500) < 600


def chrominance(colours):
    r, g, b = colours.T.astype(float)
    return 128 + 0.5 * r - 0.418688 * g - 0.081312 * b, 128 - 0.168736 * r - 0.331264 * g + 0.5 * b


def test_linear(colours):
    f = tp.skin.LinearFilter(0.022, -0.016, d=-0.35, b=-0.007)
    assert f == tp.skin.generic_skin_filter == tp.skin.parse_filter(str(f)) == pickle.loads(pickle.dumps(f))
    assert hash(f) == hash(tp.skin.generic_skin_filter) and f != tp.skin.LinearFilter() and f != 1
    assert np.asarray(f).tolist() == [f.r, f.g, f.b, f.d] == [0.022, -0.016, -0.007, -0.35]
    assert repr(f) == "LinearFilter(r=0.022, g=-0.016, b=-0.007, d=-0.35)"
    expected = np.clip(colours.astype(float) @ (f.r, f.g, f.b) + f.d, 0, 1)
    weights = tp.skin.weight(f, colours)
    assert weights.dtype == np.float32 and weights == pytest.approx(expected, abs=1e-6)


def test_ellipse(colours):
    cr, cb = chrominance(colours)
    x, y = cr - 155, cb - 105
    squared = 0.01 * x * x + 2 * 0.002 * x * y + 0.02 * y * y
    assert tp.skin.weight(ELLIPSE, colours) == pytest.approx(np.clip(0.5 + (4 - squared) / 3, 0, 1), abs=1e-4)
    assert ELLIPSE.mean.tolist() == [155, 105] and ELLIPSE.precision.tolist() == [0.01, 0.002, 0.02]


def test_gaussian_pair(colours):
    x = colours.astype(float)
    score = lambda n: n.log_scale - 0.5 * np.einsum("ni,ij,nj->n", x - n.mean, n.precision, x - n.mean)
    posterior = 1 / (1 + np.exp(np.clip(score(PAIR.other) - score(PAIR.skin), -700, 700)))
    assert tp.skin.weight(PAIR, colours) == pytest.approx(posterior, abs=1e-5)
    assert PAIR.space == "rgb" and PAIR.skin.precision.shape == (3, 3)


def test_histogram(rng, colours):
    share = rng.random((8, 8, 8), dtype=np.float32)
    histogram = tp.skin.HistogramRatio(share)
    cells = colours >> 5
    assert np.array_equal(tp.skin.weight(histogram, colours), share[cells[:, 0], cells[:, 1], cells[:, 2]])
    assert histogram.bits == 3 and not histogram.share.flags.writeable
    assert np.array_equal(histogram.share, share) and np.array_equal(np.asarray(histogram), share)
    kept = histogram.share
    del histogram
    assert np.array_equal(kept, share)  # the view keeps the histogram


def test_colours_of_any_strides(rng):
    image = rng.integers(0, 256, (20, 30, 3), dtype=np.uint8)
    f = tp.skin.generic_skin_filter
    view = image[3, ::2, ::-1]
    assert np.array_equal(tp.skin.weight(f, view), tp.skin.weight(f, view.copy()))
    assert np.array_equal(tp.skin.weight(f, view.tolist()), tp.skin.weight(f, view))
    assert tp.skin.weight(f, np.empty((0, 3), np.uint8)).shape == (0,)


@pytest.mark.parametrize("name", tp.skin.classifier_names())
def test_training(tmp_path, labelled, name):
    colours, labels = labelled
    classifier = tp.skin.train_classifier(name, colours, labels)
    assert tp.skin.name_of(classifier) == name
    again = pickle.loads(pickle.dumps(classifier))
    assert again == classifier and type(again) is type(classifier)
    tp.skin.save_classifier(tmp_path / "skin.json", classifier)
    assert tp.skin.load_classifier(str(tmp_path / "skin.json")) == classifier
    called = tp.skin.weight(classifier, colours) >= 0.5
    result = tp.skin.evaluate(classifier, colours, labels)
    assert result.true_skin == np.sum(called & labels) and result.false_skin == np.sum(called & ~labels)
    assert result.true_other == np.sum(~called & ~labels) and result.false_other == np.sum(~called & labels)
    assert result.accuracy == np.mean(called == labels) > 0.9
    assert result.precision == result.true_skin / called.sum() and result.recall == result.true_skin / labels.sum()
    assert result.f1 == pytest.approx(2 / (1 / result.precision + 1 / result.recall))
    assert result == pickle.loads(pickle.dumps(result))


def test_a_table_has_the_weights_of_its_classifier(colours):
    frame = colours.reshape(20, 25, 3)
    table = tp.skin.WeightTable(ELLIPSE)
    assert table.weights.shape == (256, 256, 256) and not table.weights.flags.writeable
    weights = table.weights[tuple(colours.T)]
    assert np.array_equal(weights, np.rint(tp.skin.weight(ELLIPSE, colours).astype(float) * 65535))
    moments = tp.skin.moments(frame, table)
    assert moments.weight == weights.sum(dtype=np.int64) and moments == tp.skin.moments(frame, ELLIPSE)
    again = pickle.loads(pickle.dumps(table))
    assert again == table and np.array_equal(np.asarray(again), table.weights)
    tracker = tp.skin.Tracker(ELLIPSE, device="cpu")
    assert tracker(frame).raw == moments.head(25, 20) and "ellipse" in repr(tracker)


def test_labelled_pixels(tmp_path):
    file = tmp_path / "pixels.csv"
    file.write_text("1,2,3,1\n10,20,30,2\r\n")
    colours, labels = tp.skin.read_labelled_pixels(file)
    assert colours.tolist() == [[3, 2, 1], [30, 20, 10]] and colours.dtype == np.uint8
    assert labels.tolist() == [True, False] and labels.dtype == bool
    file.write_text("1,2,3,1\n1,2,300,1\n")
    with pytest.raises(tp.ParseError, match="pixels.csv:2:5") as caught:
        tp.skin.read_labelled_pixels(str(file))
    assert caught.value.line == 2 and caught.value.file == str(file)


def test_halves(labelled):
    colours, labels = labelled
    train, test = tp.skin.split_in_halves(colours, labels, seed=3)
    assert len(train[0]) == len(train[1]) == len(test[0]) == 750
    rows = lambda c, l: sorted(map(tuple, np.column_stack((c, l)).tolist()))
    both = np.concatenate((train[0], test[0])), np.concatenate((train[1], test[1]))
    assert rows(*both) == rows(colours, labels)
    again = tp.skin.split_in_halves(colours, labels, seed=3)
    assert np.array_equal(again[0][0], train[0])
    assert not np.array_equal(tp.skin.split_in_halves(colours, labels, seed=4)[0][0], train[0])


def test_a_damaged_file(tmp_path):
    file = tmp_path / "skin.json"
    file.write_text("{")
    with pytest.raises(tp.ParseError, match="skin.json"):
        tp.skin.load_classifier(file)
    with pytest.raises(tp.Error):
        tp.skin.load_classifier(tmp_path / "missing.json")
    with pytest.raises(tp.Error):
        tp.skin.save_classifier(tmp_path / "missing" / "skin.json", ELLIPSE)
