// Features, LevelOptions and Displacements: options of training that have parts.
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <tuple>

#include "aam.hpp"

namespace triptych::python {

using aam_fit::Displacements;
using aam_fit::Features;
using aam_fit::LevelOptions;

namespace {

// The object itself, or the one that a dict of its keywords makes.
template <class Options>
Options options_of(nb::handle object, const std::string& argument, const char* type) {
  Options options;
  if (nb::try_cast(object, options, false)) return options;
  require(nb::isinstance<nb::dict>(object), argument, ": expected a ", type,
          " or a dict of its keywords, not a ", type_text(object));
  try {
    return nb::cast<Options>(nb::type<Options>()(**nb::borrow<nb::kwargs>(object)));
  } catch (nb::python_error& problem) {
    if (!problem.matches(PyExc_TypeError)) throw;
    throw InvalidArgument(argument + ": " + nb::cast<std::string>(nb::repr(object)) +
                          " are not keywords of " + type);
  }
}

std::string repr_of(const Features& f) {
  return "Features('" + to_string(f.kind) + "', smooth_px=" + text_of(double{f.smooth_px}) +
         ", local_px=" + text_of(double{f.local_px}) + ", pool_px=" + text_of(double{f.pool_px}) +
         ", bins=" + std::to_string(f.bins) + ")";
}
std::string repr_of(const LevelOptions& l) {
  return "LevelOptions(pixels=" + std::to_string(l.pixels) + ", pitch_px=" + text_of(l.pitch_px) +
         ", margin=" + text_of(l.margin) + ", features=" + repr_of(l.features) +
         ", iterations=" + std::to_string(l.iterations) + ", stages=" + std::to_string(l.stages) +
         ", patch_samples=" + std::to_string(l.patch_samples) + ", patch_size=" + text_of(l.patch_size) + ")";
}
std::string repr_of(const Displacements& d) {
  return "Displacements(per_face=" + std::to_string(d.per_face) + ", shift=" + text_of(d.shift) +
         ", scale=" + text_of(d.scale) + ", rotation_rad=" + text_of(d.rotation_rad) + ")";
}

nb::tuple state_of(const Features& f) {
  return nb::make_tuple(to_string(f.kind), f.smooth_px, f.local_px, f.pool_px, f.bins);
}
void set_state(Features& f, const nb::tuple& s) {
  f = {aam_fit::parse_feature_kind(nb::cast<std::string>(s[0])), nb::cast<float>(s[1]), nb::cast<float>(s[2]),
       nb::cast<float>(s[3]), nb::cast<int>(s[4])};
}
nb::tuple state_of(const LevelOptions& l) {
  return nb::make_tuple(l.pixels, l.pitch_px, l.margin, l.features, l.iterations, l.stages, l.patch_samples,
                        l.patch_size);
}
void set_state(LevelOptions& l, const nb::tuple& s) {
  l = {nb::cast<std::int64_t>(s[0]), nb::cast<double>(s[1]), nb::cast<double>(s[2]), nb::cast<Features>(s[3]),
       nb::cast<int>(s[4]),          nb::cast<int>(s[5]),    nb::cast<int>(s[6]),    nb::cast<double>(s[7])};
}
nb::tuple state_of(const Displacements& d) {
  return nb::make_tuple(d.per_face, d.shift, d.scale, d.rotation_rad);
}
void set_state(Displacements& d, const nb::tuple& s) {
  d = {nb::cast<int>(s[0]), nb::cast<double>(s[1]), nb::cast<double>(s[2]), nb::cast<double>(s[3])};
}

// repr, == and pickle, by the state.
template <class Options>
void bind_value(nb::class_<Options>& type) {
  type.def("__repr__", [](const Options& self) { return repr_of(self); })
      .def(
          "__eq__",
          [](const Options& self, nb::handle other) {
            Options value;
            return nb::try_cast(other, value, false) && state_of(self).equal(state_of(value));
          },
          nb::arg("other").none())
      .def("__getstate__", [](const Options& self) { return state_of(self); })
      .def("__setstate__", [](Options& self, const nb::tuple& state) {
        new (&self) Options();
        set_state(self, state);
      });
}

}  // namespace

Features features_of(nb::handle object, const char* argument) {
  if (!nb::isinstance<nb::str>(object)) return options_of<Features>(object, argument, "Features");
  return naming(argument,
                [&] { return Features{.kind = aam_fit::parse_feature_kind(nb::cast<std::string>(object))}; });
}

std::vector<LevelOptions> levels_of(nb::handle object) {
  std::vector<LevelOptions> levels;
  if (object.is_none()) return levels;
  require(nb::isinstance<nb::list>(object) || nb::isinstance<nb::tuple>(object),
          "levels: expected a list of LevelOptions or dicts, not a ", type_text(object));
  for (const nb::handle item : object)
    levels.push_back(
        options_of<LevelOptions>(item, "levels[" + std::to_string(levels.size()) + "]", "LevelOptions"));
  require(!levels.empty(), "levels: expected one or more; None stands for default_levels()");
  return levels;
}

Displacements displacements_of(nb::handle object) {
  if (object.is_none()) return {};
  return options_of<Displacements>(object, "displacements", "Displacements");
}

void bind_aam_options(nb::module_& m) {
  const Features f;
  nb::class_<Features> features(
      m, "Features",
      "What a texture is made of: grey values, or channels derived from gradients, which light changes "
      "less.\n\n"
      "kind: \"grey\" (one channel), \"gradient\" (two), \"double_angle\" (four) or \"orientation\" (bins).\n"
      "smooth_px: width of the Gaussian on the grey image. local_px: of the Gaussian that takes the mean "
      "size of\n"
      "gradients around; 0: over the whole image. pool_px: of the Gaussian on each plane afterwards.\n"
      "InvalidArgument when a width is negative or above 100, or there are not 2 to 16 bins.");
  features
      .def(
          "__init__",
          [](Features* self, const std::string& kind, float smooth_px, float local_px, float pool_px,
             Whole<"bins"> bins) {
            const Features made{naming("kind", [&] { return aam_fit::parse_feature_kind(kind); }), smooth_px,
                                local_px, pool_px, bins};
            check_features(made);
            new (self) Features(made);
          },
          nb::arg("kind") = "grey", nb::kw_only(), nb::arg("smooth_px") = f.smooth_px,
          nb::arg("local_px") = f.local_px, nb::arg("pool_px") = f.pool_px, nb::arg("bins") = f.bins)
      .def_prop_ro(
          "kind", [](const Features& self) { return to_string(self.kind); }, "The name of the kind.")
      .def_ro("smooth_px", &Features::smooth_px, "Width of the first Gaussian, in pixels.")
      .def_ro("local_px", &Features::local_px, "Width of the Gaussian of the mean gradient, in pixels.")
      .def_ro("pool_px", &Features::pool_px, "Width of the last Gaussian, in pixels.")
      .def_ro("bins", &Features::bins, "Directions of \"orientation\".")
      .def_prop_ro(
          "channels", [](const Features& self) { return channels(self); }, "The number of channels.");
  bind_value(features);

  const LevelOptions l;
  nb::class_<LevelOptions> level(
      m, "LevelOptions",
      "One resolution of a model, for train().\n\n"
      "pixels: of the reference frame, 16 to 2**22. pitch_px: pixels of the image "
      "from one pixel of the frame to\n"
      "the next, 1/16 to 16. margin: around the outline, as a share of the face's "
      "size. features: a Features, a\n"
      "dict of its keywords, or the name of a kind. iterations: the largest "
      "number of steps of a fit. stages:\n"
      "updates of this resolution, one after the other (update=\"regression\").\n"
      "patch_samples: above 0, a patch of as many samples to a side around each "
      "landmark instead of the whole face\n"
      "(pixels and margin are then not used); patch_size: its side, in face sizes.");
  level
      .def(
          "__init__",
          [](LevelOptions* self, Whole<"pixels", std::int64_t> pixels, double pitch_px, double margin,
             nb::handle wanted, Whole<"iterations"> iterations, Whole<"stages"> stages,
             Whole<"patch_samples"> patch_samples, double patch_size) {
            const Features made = features_of(wanted, "features");
            new (self)
                LevelOptions{pixels, pitch_px, margin, made, iterations, stages, patch_samples, patch_size};
          },
          nb::arg("pixels") = l.pixels, nb::kw_only(), nb::arg("pitch_px") = l.pitch_px,
          nb::arg("margin") = l.margin, nb::arg("features") = "grey", nb::arg("iterations") = l.iterations,
          nb::arg("stages") = l.stages, nb::arg("patch_samples") = l.patch_samples,
          nb::arg("patch_size") = l.patch_size,
          nb::sig("def __init__(self, pixels: int = 4096, *, pitch_px: float = 1.0, margin: float = 0.0, "
                  "features: Features | dict[str, object] | str = 'grey', iterations: int = 10, "
                  "stages: int = 1, patch_samples: int = 0, patch_size: float = 0.12) -> None"))
      .def_ro("pixels", &LevelOptions::pixels, "Pixels of the reference frame.")
      .def_ro("pitch_px", &LevelOptions::pitch_px, "Pixels of the image to one of the frame.")
      .def_ro("margin", &LevelOptions::margin, "Around the outline, as a share of the face's size.")
      .def_ro("features", &LevelOptions::features, "What is compared.")
      .def_ro("iterations", &LevelOptions::iterations, "The largest number of steps of a fit.")
      .def_ro("stages", &LevelOptions::stages, "Updates of this resolution.")
      .def_ro("patch_samples", &LevelOptions::patch_samples, "Samples to a side of a patch; 0: no patches.")
      .def_ro("patch_size", &LevelOptions::patch_size, "Side of a patch, in face sizes.");
  bind_value(level);

  const Displacements d;
  nb::class_<Displacements> displacements(m, "Displacements",
                                          "Starts that update=\"regression\" learns from: the mean shape in "
                                          "the face's box, moved, scaled and rotated,\n"
                                          "each uniformly within these bounds.\n\n"
                                          "per_face: starts of each face, 1 to 1000. shift: share of the "
                                          "box's size. scale: share. rotation_rad: radians.");
  displacements
      .def(
          "__init__",
          [](Displacements* self, Whole<"per_face"> per_face, double shift, double scale,
             double rotation_rad) {
            new (self) Displacements{per_face, shift, scale, rotation_rad};
          },
          nb::kw_only(), nb::arg("per_face") = d.per_face, nb::arg("shift") = d.shift,
          nb::arg("scale") = d.scale, nb::arg("rotation_rad") = d.rotation_rad)
      .def_ro("per_face", &Displacements::per_face, "Starts of each face.")
      .def_ro("shift", &Displacements::shift, "Share of the box's width and height.")
      .def_ro("scale", &Displacements::scale, "Share of the size.")
      .def_ro("rotation_rad", &Displacements::rotation_rad, "Radians.");
  bind_value(displacements);

  m.def(
      "default_levels",
      [](Whole<"pixels", std::int64_t> pixels, Whole<"count"> count, nb::handle wanted,
         std::string_view update) {
        return aam_fit::default_levels(pixels, count, features_of(wanted, "features"),
                                       value_of<aam_fit::Update>("update", update, update_names));
      },
      nb::arg("pixels") = 1700, nb::arg("count") = 2, nb::kw_only(), nb::arg("features") = "double_angle",
      nb::arg("update") = "regression",
      nb::sig("def default_levels(pixels: int = 1700, count: int = 2, *, features: Features | dict[str, "
              "object] | str "
              "= 'double_angle', update: str = 'regression') -> list[LevelOptions]"),
      "The levels of whole faces that train() takes when none are given, from coarse to fine; patch_level() "
      "follows them.\n\n"
      "pixels: of the finest level; from there to the coarser ones faces are halved. count: 1 to 8 "
      "resolutions.\n"
      "Widths of the features that are 0 are chosen to match (not for \"grey\").");
  m.def(
      "patch_level", &aam_fit::patch_level,
      "The last level that train() takes when none are given: patches around the landmarks, in faces of 160 "
      "pixels.");
}

}  // namespace triptych::python
