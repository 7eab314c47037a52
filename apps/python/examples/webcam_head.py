"""Follow a head in front of a webcam; needs `pip install opencv-python`.

python webcam_head.py            the first camera
python webcam_head.py film.mp4   a video

Draw a box around the face with the mouse and press Enter. Escape ends.
"""

import sys

import cv2

import triptych as tp


def track(capture, face=None, show=True):
    """The heads in the frames of a cv2.VideoCapture. face: (x, y, width, height) in the first frame; None: drawn with the mouse."""
    heads, tracker = [], None
    while True:
        there, frame = capture.read()  # (height, width, 3) uint8, blue first
        if not there:
            return heads
        if tracker is None:
            face = face or cv2.selectROI("head", frame)
            height, width = frame.shape[:2]
            tracker = tp.skin.Tracker.from_box(frame, face, format="bgr", max_width=width, max_height=height, smooth=True)
        head = tracker(frame, format="bgr")
        heads.append(head)
        if not show:
            continue
        if head.found:
            e = head.ellipse
            axes = (round(e.semi_major_px), round(e.semi_minor_px))
            cv2.ellipse(frame, (round(head.x_px), round(head.y_px)), axes, e.angle_rad * 57.29578, 0, 360, (64, 255, 64), 2)
        cv2.putText(frame, f"{head.status}, {head.distance_m:.2f} m", (10, 24), cv2.FONT_HERSHEY_SIMPLEX, 0.7, (255, 255, 255), 2)
        cv2.imshow("head", frame)
        if cv2.waitKey(1) == 27:
            return heads


if __name__ == "__main__":
    track(cv2.VideoCapture(sys.argv[1] if len(sys.argv) > 1 else 0))
