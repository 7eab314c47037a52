// The keywords of SensorModel, and the names of methods.
#pragma once

#include <triptych/capsule_likelihood/likelihood.hpp>
#include <triptych/capsule_likelihood/rays.hpp>

#include "inputs.hpp"

namespace triptych::python::capsule {

inline constexpr Name<cl::Loss> losses[] = {{"squared", cl::Loss::squared}, {"absolute", cl::Loss::absolute}};
inline constexpr Name<cl::Surface> surfaces[] = {{"closest", cl::Surface::closest},
                                                 {"first", cl::Surface::first}};
inline constexpr Name<cl::CameraInside> insides[] = {{"exit_surface", cl::CameraInside::exit_surface},
                                                     {"ignore", cl::CameraInside::ignore}};
inline constexpr Name<cl::Method> methods[] = {
    {"culled", cl::Method::culled}, {"brute", cl::Method::brute}, {"tiled", cl::Method::tiled}};

inline cl::SensorModel sensor_of(std::string_view loss, std::string_view surface, std::string_view inside,
                                 float sigma_m, float tau_m, nb::handle camera) {
  return {parse_name(loss, "loss", losses),
          parse_name(surface, "surface", surfaces),
          parse_name(inside, "inside", insides),
          sigma_m,
          tau_m,
          place_of(camera, "camera")};
}

inline constexpr const char* sensor_doc =
    "loss: \"squared\" or \"absolute\". surface: \"closest\": the capsule nearest to the point along\n"
    "its ray counts, a hidden one too; \"first\": the first surface on the ray. inside: of a\n"
    "capsule that contains the camera, the \"exit_surface\" counts, or \"ignore\". sigma_m: standard\n"
    "deviation of a point's distance, unless points have their own. tau_m: larger differences,\n"
    "and rays that hit nothing, count as this. camera: looks along +z.";

}  // namespace triptych::python::capsule
