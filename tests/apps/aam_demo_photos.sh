#!/usr/bin/env bash
# Plain photos, without a model and without a box: the shipped model from OpenCV's boxes finds nearly all faces of LFPW, two faces
# of one picture as one batch, and none in a photo of a motorcycle. From displaced starts, at least 70 % of its errors are below 0.05.
# Usage: aam_demo_photos.sh <aam_demo> <scratch folder>; TRIPTYCH_CASCADE: the detector's file
set -eu
# shellcheck source=tests/apps/summary.sh
source "$(dirname "${BASH_SOURCE[0]}")/summary.sh"
faces=$(data faces_wild)
if [[ ! -s "$(dirname "$program")/../share/triptych/faces.aam" ]]; then
  echo "skipped: the target face_model is not built"
  exit 77
fi
"$program" evaluate --images "$faces" --device cpu --json shipped.json
[[ $(value shipped.json fits) == 1000 ]] || fail "not five starts for each of 200 images"
check "share of errors above 0.05" "$(awk -v v="$(value shipped.json share_below_0.05)" 'BEGIN { print 1 - v }')" 0.3

cascade=${TRIPTYCH_CASCADE:-/usr/share/opencv4/haarcascades/haarcascade_frontalface_default.xml}
if [[ ! -e $cascade ]]; then
  echo "skipped: there is no $cascade (package opencv-data)"
  exit 77
fi
fit=(fit --cascade "$cascade" --device cpu --headless --no-pictures)
"$program" boxes --images "$faces" --cascade "$cascade" | tee boxes.txt
awk '/^all:/ { if ($3 + 0 < -0.03 || $3 + 0 > 0.05 || $4 < 0.12 || $4 > 0.2 || $9 < 0.78 || $9 > 0.9) exit 1 }' boxes.txt || fail "the offset of the boxes is another one"
"$program" "${fit[@]}" "$faces" --out photos
check "photos without a face found" $(($(value photos/summary.json frames) - $(value photos/summary.json found))) 20
# Two photos side by side, as one picture of two faces.
python=python3
"$python" -c "import PIL" 2>/dev/null || python=/usr/bin/python3
"$python" - "$faces" <<'PYTHON' || { echo "skipped: no Python with Pillow"; exit 77; }
import pathlib, sys
try:
    from PIL import Image
except ImportError:
    sys.exit(1)
pair = Image.new("RGB", (512, 256))
for i, name in enumerate(sorted(pathlib.Path(sys.argv[1]).glob("*.jpg"))[:2]):
    pair.paste(Image.open(name), (256 * i, 0))
pair.save("pair.png")
PYTHON
"$program" "${fit[@]}" pair.png --out pair
[[ $(value pair/summary.json frames) == 1 && $(value pair/summary.json faces) == 2 ]] || fail "not two faces in one picture"
[[ -s pair/pair.pts && -s pair/pair_2.pts && $(wc -l <pair/fits.csv) == 3 ]] || fail "the files of two faces"
motorcycle=$(data stereo_middlebury)/im0.png
"$program" "${fit[@]}" "$motorcycle" --out motorcycle
[[ $(value motorcycle/summary.json faces) == 0 ]] || fail "a face on a motorcycle"
