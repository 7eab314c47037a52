// Fitter and find_faces().
#include <triptych/aam_fit/find_faces.hpp>
#include <triptych/aam_fit/fitter.hpp>

#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "../frame_processor.hpp"
#include "aam.hpp"
#include "fitter_options.hpp"

namespace triptych::python {

using aam_fit::DeviceFace;
using aam_fit::Face;
using aam_fit::Fit;
using aam_fit::Fitter;
using aam_fit::Shape;

namespace {

using Self = Held<Fitter>;

void require_points(const Fitter& fitter, const Shape& start, const char* argument) {
  require(start.size() == static_cast<std::size_t>(fitter.model().points), argument, ": the model has ",
          fitter.model().points, " landmarks, the start has ", start.size());
}

Shape start_in(const Fitter& fitter, const Box& box, std::int64_t width, std::int64_t height,
               const char* argument) {
  return naming(argument, [&] { return start_in_box(fitter.model(), box, width, height); });
}

Shape start_of(const Fitter& fitter, const Array& image, nb::handle box, nb::handle start) {
  require(box.is_none() != start.is_none(),
          "box: give either the box of the face, as box=(x, y, width, height), or the landmarks to start "
          "from, as start=");
  if (start.is_none())
    return start_in(fitter, face_box_of(box, "box"), image.shape(1), image.shape(0), "box");
  Shape shape = shape_of(start, "start");
  require_points(fitter, shape, "start");
  return shape;
}

Fit step(Self& self, nb::handle image, nb::handle box, nb::handle start, nb::handle stream) {
  const Array array(image, "image", stream);
  require_grey(array);
  array.require_on(self.get().device());
  if (!array.on_gpu()) {
    const Face face{host_image(array), start_of(self.get(), array, box, start)};
    return compute(self.mutex(), [&] { return self.get().step(face); });
  }
  const DeviceFace face{device_image(array), start_of(self.get(), array, box, start)};
  self.wait_for(array);
  return compute(self.mutex(), [&] { return self.get().step(face); });
}

void submit(Self& self, nb::handle image, nb::handle box, nb::handle start, nb::handle stream) {
  const Array array(image, "image", stream);
  require_grey(array);
  array.require_on(self.get().device());
  if (!array.on_gpu()) {
    const Face face{host_image(array), start_of(self.get(), array, box, start)};
    compute(self.mutex(), [&] { self.get().submit(face); });
    self.keep(nb::none());
    return;
  }
  const DeviceFace face{device_image(array), start_of(self.get(), array, box, start)};
  self.wait_for(array);
  compute(self.mutex(), [&] { self.get().submit(face); });
  self.keep(array.owner());
}

// The starts of faces in images; one image serves all faces.
std::vector<Shape> starts_of(const Fitter& fitter, const ImageList& images, nb::handle boxes,
                             nb::handle starts) {
  require(boxes.is_none() != starts.is_none(),
          "boxes: give either the boxes of the faces, as boxes=, or the landmarks to start from, as starts=");
  const char* const argument = starts.is_none() ? "boxes" : "starts";
  const std::vector<Box> in = starts.is_none() ? boxes_of(boxes, "boxes") : std::vector<Box>();
  std::vector<Shape> shapes = starts.is_none() ? std::vector<Shape>(in.size()) : shapes_of(starts, "starts");
  require(images.size() == 1 || images.size() == shapes.size(), argument, ": there are ", shapes.size(),
          " faces for ", images.size(), " images; give one image for all, or one for each");
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string item = std::string(argument) + "[" + std::to_string(i) + "]";
    if (starts.is_none()) {
      const Array& array = images.array(i);
      const int rows = array.ndim() - 2;
      shapes[i] = start_in(fitter, in[i], array.shape(rows + 1), array.shape(rows), item.c_str());
    }
    require_points(fitter, shapes[i], item.c_str());
  }
  return shapes;
}

std::vector<Fit> fit_many(Self& self, nb::handle images, nb::handle boxes, nb::handle starts,
                          nb::handle stream) {
  const ImageList list = images_of(images, "images", stream);
  std::vector<Shape> shapes = starts_of(self.get(), list, boxes, starts);
  const bool on_gpu = list.size() > 0 && list.array(0).on_gpu();
  for (const Array& array : list.arrays) {
    array.require_on(self.get().device());
    require(array.on_gpu() == on_gpu, array.argument(),
            ": all images must be in the same memory, the host's or the GPU's");
  }
  const auto image = [&](std::size_t i) { return list.size() == 1 ? 0 : i; };
  if (!on_gpu) {
    std::vector<Face> faces(shapes.size());
    for (std::size_t i = 0; i < faces.size(); ++i) faces[i] = {list.host(image(i)), std::move(shapes[i])};
    return compute(self.mutex(), [&] { return self.get().step(std::span<const Face>(faces)); });
  }
  std::vector<DeviceFace> faces(shapes.size());
  for (std::size_t i = 0; i < faces.size(); ++i) faces[i] = {list.device(image(i)), std::move(shapes[i])};
  for (const Array& array : list.arrays) self.wait_for(array);
  return compute(self.mutex(), [&] { return self.get().step(std::span<const DeviceFace>(faces)); });
}

#define TRIPTYCH_ONE_FACE(name, result)                                                       \
  nb::arg("image"),                                                                           \
      nb::arg("box") = nb::none(), nb::kw_only(), nb::arg("start") = nb::none(),              \
      nb::arg("stream") = nb::none(),                                                         \
      nb::sig("def " name                                                                     \
              "(self, image: numpy.typing.ArrayLike, box: collections.abc.Sequence[float] | " \
              "numpy.typing.ArrayLike | None = "                                              \
              "None, *, start: numpy.typing.ArrayLike | None = None, stream: object = None) -> " result)

constexpr const char* step_doc =
    "Fits the model to a face.\n\n"
    "image: grey, uint8 of shape (height, width), on the host, or on the GPU of a fitter on that GPU; rows "
    "may lie apart,\n"
    "as in a region of a larger image. Not copied.\n"
    "box: (x, y, width, height) of the face's landmarks in pixels, or start: the landmarks to start from, "
    "(points, 2).\n"
    "stream: the CUDA stream on which the image is written; without it the array's library is asked.\n"
    "InvalidArgument when neither or both are given, the box lies outside the image, or the image is empty "
    "or larger\n"
    "than max_width x max_height (on a GPU).";

void bind_find_faces(nb::module_& m) {
  const aam_fit::FindFacesOptions o;
  m.def(
      "find_faces",
      [](Self& fitter, nb::handle image, double min_size, double max_size, double max_overlap,
         Whole<"max_faces"> max_faces, Whole<"max_candidates"> max_candidates, double min_confidence) {
        const Array array(image, "image");
        const auto view = host_image(array);
        const aam_fit::FindFacesOptions options{min_size,  max_size,       max_overlap,
                                                max_faces, max_candidates, min_confidence};
        return compute(fitter.mutex(), [&] { return find_faces(fitter.get(), view, options); });
      },
      nb::arg("fitter"), nb::arg("image"), nb::kw_only(), nb::arg("min_size") = o.min_size,
      nb::arg("max_size") = o.max_size, nb::arg("max_overlap") = o.max_overlap,
      nb::arg("max_faces") = o.max_faces, nb::arg("max_candidates") = o.max_candidates,
      nb::arg("min_confidence") = o.min_confidence,
      nb::sig("def find_faces(fitter: Fitter, image: numpy.typing.ArrayLike, *, min_size: float = 0.04, "
              "max_size: float = 1.0, max_overlap: float = 0.2, max_faces: int = 0, max_candidates: int = "
              "128, min_confidence: float = 0.5) "
              "-> list[Fit]"),
      "The fits of all faces in an image, most confident first, without a face detector.\n\n"
      "The mean texture is compared with the image at all places and sizes, and the model fitted where they\n"
      "correlate most. The confidence is that of a search, from the fit and its face_score(). image: grey, "
      "uint8 of\nshape "
      "(height, width), on the host. min_size, max_size: of the faces, as shares of the image's height and "
      "of "
      "its\nshorter side; none below 16 pixels. max_overlap: of two fits that overlap by more (intersection "
      "over union)\nthe better one stays. max_faces: the best ones alone; 0: all. max_candidates: places "
      "that "
      "are fitted.\nmin_confidence: a find with less is no face; that of the fitter does not matter.");
  m.def(
      "check_face",
      [](const aam_fit::Model& model, nb::handle image, const aam_fit::Fit& fit, double min_confidence) {
        const Array array(image, "image");
        return aam_fit::check_face(model, host_image(array), fit, min_confidence);
      },
      nb::arg("model"), nb::arg("image"), nb::arg("fit"), nb::arg("min_confidence") = 0.5,
      nb::sig("def check_face(model: Model, image: numpy.typing.ArrayLike, fit: Fit, min_confidence: float = "
              "0.5) -> Fit"),
      "A fit to this image, in a box of a user or a detector, with a confidence that takes face_score() into "
      "account;\nit is found when that is at least min_confidence. Detectors also see faces in wheels and "
      "leaves.\nUnchanged for a model without a classifier.");
  m.def(
      "face_score",
      [](const aam_fit::Model& model, nb::handle image, nb::handle landmarks) {
        const Array array(image, "image");
        return aam_fit::face_score(model, host_image(array), shape_of(landmarks, "landmarks"));
      },
      nb::arg("model"), nb::arg("image"), nb::arg("landmarks"),
      nb::sig("def face_score(model: Model, image: numpy.typing.ArrayLike, landmarks: "
              "numpy.typing.ArrayLike) -> float"),
      "How far the image at landmarks is from the background, towards the faces of the model.\n\n"
      "In standard deviations of the background; faces have 4 or more, as a rule. 0 for a model without a\n"
      "classifier: older files, or trained on images without background.");
}

}  // namespace

void bind_aam_fitter(nb::module_& m) {
  const aam_fit::FitterOptions o;
  nb::class_<Self> fitter(
      m, "Fitter",
      "Fits a model to faces in images, coarse to fine. Made once for a device, then called for "
      "each image.\nCalls from several threads take turns.");
  fitter
      .def(
          "__init__",
          [](Self* self, const aam_fit::Model& model, TRIPTYCH_FITTER_PARAMETERS, nb::handle device) {
            const auto options = TRIPTYCH_FITTER_VALUES.options();
            const Device where = device_of(device);
            new (self) Self(compute([&] { return Fitter(model, options, where); }));
          },
          nb::arg("model"), nb::kw_only(), TRIPTYCH_FITTER_ARGUMENTS(o), nb::arg("device") = "auto",
          fitter_keywords_doc)
      .def("__call__", &step, TRIPTYCH_ONE_FACE("__call__", "Fit"), step_doc)
      .def("submit", &submit, TRIPTYCH_ONE_FACE("submit", "None"),
           "Begins what a call does; next() returns the Fit. At most 3 images are in flight. An image on the "
           "host may "
           "change\nwhen submit() returns; one on a GPU when next() has returned its fit.")
      .def("fit_many", &fit_many, nb::arg("images"), nb::arg("boxes") = nb::none(), nb::kw_only(),
           nb::arg("starts") = nb::none(), nb::arg("stream") = nb::none(),
           nb::sig("def fit_many(self, images: collections.abc.Sequence[numpy.typing.ArrayLike] | "
                   "numpy.typing.ArrayLike, boxes: "
                   "collections.abc.Sequence[collections.abc.Sequence[float]] | numpy.typing.ArrayLike | "
                   "None = None, *, starts: "
                   "collections.abc.Sequence[numpy.typing.ArrayLike] | numpy.typing.ArrayLike | None = None, "
                   "stream: object = "
                   "None) "
                   "-> list[Fit]"),
           "Fits several faces at once.\n\n"
           "images: one image (height, width) with all the faces, a list with an image for each face, or one "
           "array "
           "(k, height,\nwidth). boxes: (k, 4), or starts: (k, points, 2). All on the host, or all on the "
           "fitter's "
           "GPU. Returns k fits.")
      .def(
          "texture",
          [](Self& self, const Fit& fit) {
            return to_numpy(compute(self.mutex(), [&] { return self.get().texture(fit); }));
          },
          nb::arg("fit"), nb::sig("def texture(self, fit: Fit) -> numpy.typing.NDArray[numpy.uint8]"),
          "The model's texture at a fit's parameters over the raster of the finest level, uint8 (height, "
          "width).")
      .def_prop_ro(
          "model", [](Self& self) { return self.get().model(); }, "The Model.");
  bind_frame_processor(fitter, "Fitter");
  bind_find_faces(m);
}

}  // namespace triptych::python
