// Writes pictures to files.
#pragma once

#include <common/outputs.hpp>
#include <opencv2/core/mat.hpp>

#include <filesystem>

namespace triptych::apps {

// temporary: of Outputs::add(); its extension selects the format. Error when the file cannot be written.
void write_picture(Outputs& outputs, const std::filesystem::path& temporary, const cv::Mat& picture);

}  // namespace triptych::apps
