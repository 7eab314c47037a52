// Pictures as files.
#pragma once

#include <opencv2/core/mat.hpp>

#include <filesystem>

namespace triptych::apps {

// The kind is that of the name's ending. Error when it cannot be written.
void write_picture(const std::filesystem::path& file, const cv::Mat& picture);

}  // namespace triptych::apps
