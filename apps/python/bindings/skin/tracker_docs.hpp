// The docstrings of Tracker.
#pragma once

namespace triptych::python::tracker_docs {

inline constexpr const char* class_doc =
    "Follows one head through colour frames on the CPU, a GPU, or both. Calls from several threads take "
    "turns.\n\n"
    ">>> skin = calibrate(frame, face=(x, y, w, h))\n"
    ">>> tracker = Tracker(skin, like=frame, gate=True)\n"
    ">>> for f in video: head = tracker(f)\n\n"
    "A frame is an array of uint8, in host or GPU memory (GPU memory: for a tracker on that GPU), read "
    "without a copy. Rows may lie\n"
    "apart, as in a region of an image. Formats: \"rgb\" or \"bgr\" (height, width, 3), \"rgba\" or \"bgra\" "
    "(height, width, 4),\n"
    "\"yuyv\" (height, width, 2), \"nv12\" (height * 3 / 2, width). Frames of OpenCV are \"bgr\".";
inline constexpr const char* init_doc =
    "classifier: a classifier, or a Calibration, which stands for its filter and sets reference_area to its "
    "area. With gate=True a\n"
    "Calibration also sets gate_by to its colours and, when the frames have the size of the one it was made "
    "from, start to its face.\n"
    "What is given as a keyword counts more.\n"
    "like: a frame; max_width and max_height are its size. face: the box (x, y, width, height) of the head "
    "in "
    "the first frame, for a\n"
    "Calibration; implies gate=True.\n"
    "format: of frames for which none is given. Default: that of the Calibration; else rgb for 3 channels "
    "and "
    "rgba for 4.\n"
    "max_width, max_height: of the frames, in pixels; default 1920 x 1080, at most 8192 x 4352.\n"
    "gate: only a window around the last position counts, so that hands and other faces are not followed; "
    "the "
    "whole frame is searched\n"
    "when the head is lost. start: the head's box in the first frame, in whole pixels; without it the whole "
    "frame is searched.\n"
    "gate_by: the classifier that moves the window; without it the classifier itself.\n"
    "smooth: position and distance, by a One-Euro filter of min_cutoff_hz, beta and speed_cutoff_hz.\n"
    "reference_area, reference_distance_m: distance = reference_distance_m * sqrt(reference_area / area), in "
    "metres; the area is a\n"
    "share of the frame, default 0.05.\n"
    "lost_below_area: less skin than this share of the frame is no head.\n"
    "min_confidence: a head of less confidence, 0 .. 1, counts as lost; 0 finds whatever has the colour of "
    "skin.\n"
    "device: \"auto\" (the GPU of like, else a GPU when there is one), \"cpu\", \"cpu:4\" (threads), "
    "\"cuda:0\" or \"joint\".\n"
    "InvalidArgument for options out of range, Unavailable when there is no such GPU.";
inline constexpr const char* step_doc =
    "The head in the next frame; waits for it.\n\n"
    "frame: uint8, see Tracker. seconds: since the last frame, for the smoothing. format: when it is not "
    "that "
    "of the tracker.\n"
    "stream: the CUDA stream on which a frame on a GPU is written; without it the array's library is asked.\n"
    "InvalidArgument when the frame is empty, larger than max_width x max_height, or of another shape or "
    "type, "
    "or frames are in flight.";
inline constexpr const char* submit_doc =
    "Starts a frame; next() returns the heads in the order of the frames, of which up to 3 are in flight.\n\n"
    "On a GPU the copy of a frame overlaps with the work on the one before. A frame in pinned or GPU memory "
    "must not change until\n"
    "next() has returned its head; any other may change at once. See __call__ for the arguments.";

}  // namespace triptych::python::tracker_docs
