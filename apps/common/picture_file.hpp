// Writes pictures to files.
#pragma once

#include <opencv2/core/mat.hpp>

#include <filesystem>

namespace triptych::apps {

// The extension of file selects the format. Error when the file cannot be written.
void write_picture(const std::filesystem::path& file, const cv::Mat& picture);

}  // namespace triptych::apps
