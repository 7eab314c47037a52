// The program bench_report, with its streams as arguments.
#pragma once

#include <ostream>
#include <span>
#include <string>

namespace triptych::report {

// arguments: without the program's name. Returns the exit code: 0, or 1 after one sentence on err. Nothing is
// written then, unless the writing itself failed.
int run(std::span<const std::string> arguments, std::ostream& out, std::ostream& err);

}  // namespace triptych::report
