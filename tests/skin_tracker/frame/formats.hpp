// Every format that a frame can have.
#pragma once

#include <triptych/skin_tracker/frame.hpp>

#include <array>

namespace triptych::test {

inline constexpr std::array all_frame_formats{
    skin_tracker::FrameFormat::rgb,  skin_tracker::FrameFormat::bgr,  skin_tracker::FrameFormat::rgba,
    skin_tracker::FrameFormat::bgra, skin_tracker::FrameFormat::nv12, skin_tracker::FrameFormat::yuyv};

}  // namespace triptych::test
