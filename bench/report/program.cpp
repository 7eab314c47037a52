#include <triptych/core/error.hpp>
#include <triptych/core/file.hpp>

#include <filesystem>
#include <system_error>
#include <vector>

#include "load.hpp"
#include "program.hpp"
#include "report.hpp"

namespace triptych::report {

namespace {

constexpr const char* help = R"(bench_report: benchmark results as a Markdown comparison and SVG charts

usage: bench_report --out DIR FILE.json...

Each FILE.json is what a bench program wrote:
  reduction_bench --benchmark_out=reduction.json --benchmark_out_format=json
or a script of bench/peers. Several files of one machine make one report; a benchmark
that occurs in more than one counts as repeated, and the middle time is shown.

  --out DIR   where to write comparison.md and the charts; made when missing
  --help      this text

Examples:
  bench_report --out report reduction.json
  bench_report --out report skin_tracker.json skin_peers.json
)";

struct Options {
  bool help = false;
  std::filesystem::path out;
  std::vector<std::filesystem::path> files;
};

Options parse_options(std::span<const std::string> arguments) {
  Options options;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (argument == "--help" || argument == "-h") {
      options.help = true;
      return options;
    }
    if (argument == "--out") {
      require(i + 1 < arguments.size() && !arguments[i + 1].empty(),
              "--out needs a folder after it; see --help");
      options.out = arguments[++i];
    } else if (argument.starts_with("--out=") && argument.size() > 6) {
      options.out = argument.substr(6);
    } else {
      require(!argument.starts_with("-"), "there is no option ", argument, "; see --help");
      options.files.emplace_back(argument);
    }
  }
  require(!options.files.empty(), "no result file given; usage: bench_report --out DIR FILE.json...");
  require(!options.out.empty(), "no --out given; usage: bench_report --out DIR FILE.json...");
  return options;
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code code;
  std::filesystem::create_directories(folder, code);
  if (code && !std::filesystem::is_directory(folder)) {
    throw Error("cannot make the folder " + folder.string() + ": " + code.message() +
                "; choose another with --out");
  }
}

}  // namespace

int run(std::span<const std::string> arguments, std::ostream& out, std::ostream& err) {
  try {
    const Options options = parse_options(arguments);
    if (options.help) {
      out << help;
      return 0;
    }
    // Everything is made before anything is written.
    const std::vector<ReportFile> files = make_report(load(options.files));
    make_folder(options.out);
    for (const ReportFile& file : files) {
      const std::filesystem::path path = options.out / file.name;
      write_file_atomically(path, file.text);
      out << path.string() << ": " << file.caption << "\n";
    }
    return 0;
  } catch (const std::exception& error) {
    err << "bench_report: " << error.what() << "\n";
    return 1;
  }
}

}  // namespace triptych::report
