// A model as one file: a magic word and version, a JSON header, then aligned blobs with checksums.
#pragma once

#include <triptych/aam_fit/model.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace triptych::aam_fit {

// Written beside, then renamed. Error when that fails.
void save_model(const std::filesystem::path& path, const Model& model);
// Read into memory, which the arrays of the model share, then verified (every checksum, then check_model())
// and never read again: whoever changes or truncates the file later does not reach the model. ParseError with
// the reason when the file is foreign, of a future version, truncated or damaged, or the model is not valid.
Model load_model(const std::filesystem::path& path);

// The bytes of such a file, and the model of a copy of them; file: for errors. The same model has the same
// bytes.
std::string encode_model(const Model& model);
Model parse_model(std::string_view bytes, const std::string& file);

}  // namespace triptych::aam_fit
