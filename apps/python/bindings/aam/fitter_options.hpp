// The keywords of Fitter, which FaceTracker has as well.
#pragma once

#include <triptych/aam_fit/fitter.hpp>

#include <nanobind/nanobind.h>

#include <string_view>

#include "aam.hpp"

namespace triptych::python {

struct FitterKeywords {
  std::string_view algorithm, form, storage;
  int max_iterations, steps;
  bool always_step;
  double min_relative_gain, min_move_px, max_outside_fraction;
  bool batched_line_search;
  int max_width, max_height, max_faces, starts, refinement_steps;
  double crop_margin, min_confidence;

  aam_fit::FitterOptions options() const {
    aam_fit::FitterOptions o;
    o.algorithm = value_of<aam_fit::Algorithm>("algorithm", algorithm, algorithm_names);
    o.fit.form = value_of<aam_fit::Form>("form", form, form_names);
    o.fit.storage = value_of<aam_fit::Storage>("storage", storage, storage_names);
    o.fit.max_iterations = max_iterations;
    o.fit.steps = steps;
    o.fit.always_step = always_step;
    o.fit.min_relative_gain = min_relative_gain;
    o.fit.min_move_px = min_move_px;
    o.fit.max_outside_fraction = max_outside_fraction;
    o.fit.batched_line_search = batched_line_search;
    o.max_width = max_width;
    o.max_height = max_height;
    o.max_faces = max_faces;
    o.starts = starts;
    o.refinement_steps = refinement_steps;
    o.crop_margin = crop_margin;
    o.min_confidence = min_confidence;
    return o;
  }
};

// The parameters of a bound function, in the order of FitterKeywords, and its arguments.
#define TRIPTYCH_FITTER_PARAMETERS                                                                         \
  std::string_view algorithm, std::string_view form, std::string_view storage,                             \
      Whole<"max_iterations"> max_iterations, Whole<"steps"> steps, bool always_step,                      \
      double min_relative_gain, double min_move_px, double max_outside_fraction, bool batched_line_search, \
      Whole<"max_width"> max_width, Whole<"max_height"> max_height, Whole<"max_faces"> max_faces,          \
      Whole<"starts"> starts, Whole<"refinement_steps"> refinement_steps, double crop_margin,              \
      double min_confidence
#define TRIPTYCH_FITTER_VALUES                                                                    \
  FitterKeywords {                                                                                \
    algorithm, form, storage, max_iterations, steps, always_step, min_relative_gain, min_move_px, \
        max_outside_fraction, batched_line_search, max_width, max_height, max_faces, starts,      \
        refinement_steps, crop_margin, min_confidence                                             \
  }
#define TRIPTYCH_FITTER_ARGUMENTS(o)                                                                      \
  nb::arg("algorithm") = "regression", nb::arg("form") = "one_pass", nb::arg("storage") = "float32",      \
  nb::arg("max_iterations") = (o).fit.max_iterations, nb::arg("steps") = (o).fit.steps,                   \
  nb::arg("always_step") = (o).fit.always_step, nb::arg("min_relative_gain") = (o).fit.min_relative_gain, \
  nb::arg("min_move_px") = (o).fit.min_move_px,                                                           \
  nb::arg("max_outside_fraction") = (o).fit.max_outside_fraction,                                         \
  nb::arg("batched_line_search") = (o).fit.batched_line_search, nb::arg("max_width") = (o).max_width,     \
  nb::arg("max_height") = (o).max_height, nb::arg("max_faces") = (o).max_faces,                           \
  nb::arg("starts") = (o).starts, nb::arg("refinement_steps") = (o).refinement_steps,                     \
  nb::arg("crop_margin") = (o).crop_margin, nb::arg("min_confidence") = (o).min_confidence

inline constexpr const char* fitter_keywords_doc =
    "algorithm: \"regression\"; or \"project_out\" and \"simultaneous\", on the CPU, for models trained "
    "with\n"
    "compositional=True. form: \"one_pass\" or \"paper\" (the paper's ten steps). storage: of the matrices, "
    "\"float32\" or\n"
    "\"float16\". max_iterations: of each level; 0: the level's own number. steps: step sizes 1, 1/2, 1/4, "
    "... that are\n"
    "tried. always_step: whole steps, whether or not the error falls. min_relative_gain, min_move_px: a "
    "level has\n"
    "converged when its error falls by less than this share, or no landmark would move by more than this.\n"
    "max_outside_fraction: lost when more than this share of the pixels lies outside the image. "
    "batched_line_search:\n"
    "on a GPU, step sizes below 1 are evaluated in one pass. max_width, max_height: of frames on a GPU, in "
    "pixels.\n"
    "max_faces: of a batch on a GPU. starts: a face is fitted from its start and from others around it, as "
    "many "
    "in all,\n"
    "1 to 9, and the best goes on to the finest levels; a tracker uses them after a loss. "
    "refinement_steps: of Gauss-Newton\n"
    "after the last level, 0 to 10, for models that were trained with refinement. crop_margin: "
    "border around the face that is prepared, in face sizes.\n"
    "min_confidence: a fit with less Fit.confidence is not found; 0: the confidence decides nothing.\n"
    "device: \"auto\", \"cpu\", \"cpu:4\" (threads), \"cuda:0\" or a torch.device.";

}  // namespace triptych::python
