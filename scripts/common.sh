# shellcheck shell=bash
# Shared by the scripts beside it: options, installing what is missing, configuring, building.
# Sourced, not run.

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build_dir=""
cuda="auto"
cpu_without_gpu="no"  # yes: without a GPU, --cuda auto means off
install="yes"
jobs="$(nproc 2>/dev/null || echo 2)"
cmake_options=()  # every -DNAME=VALUE of the command line
rest=()           # what follows --
missing=()        # apt packages whose content was not found

say() { printf '== %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

common_help() {
  cat <<'HELP'
Options:
  --cuda auto|on|off   auto (default): compile the CUDA code when nvcc is found; on: fail without nvcc; off: CPU only
  --build-dir DIR      where to build (default build/release, with --cuda on build/gpu, with --cuda off build/cpu)
  --no-install         install nothing; go on with what is there
  --jobs N             how many compilers and tests at a time (default: all cores)
  -DNAME=VALUE         handed to cmake, for example -DTRIPTYCH_CUDA_ARCHITECTURES=86-real or -DCMAKE_CXX_COMPILER=clang++
  --help               this text
Packages are installed with apt-get, as root or through sudo, and only those whose content is not found. A second run does only
what is left to do. Packages in a place of your own are found through the environment variable CMAKE_PREFIX_PATH.
HELP
}

# Reads the command line; the script's own help text is the function `help`.
parse_options() {
  while (($# > 0)); do
    case "$1" in
      --help | -h) help; exit 0 ;;
      --no-install) install="no" ;;
      --cuda | --build-dir | --jobs)
        (($# > 1)) || fail "$1 needs a value; see --help."
        case "$1" in
          --cuda) cuda="$2" ;;
          --build-dir) build_dir="$2" ;;
          --jobs) jobs="$2" ;;
        esac
        shift ;;
      --cuda=*) cuda="${1#*=}" ;;
      --build-dir=*) build_dir="${1#*=}" ;;
      --jobs=*) jobs="${1#*=}" ;;
      -D?*) cmake_options+=("$1") ;;
      --) shift; rest=("$@"); break ;;
      *) fail "$1 is no option of this script; see --help." ;;
    esac
    shift
  done
  if [[ "$cuda" == auto && "$cpu_without_gpu" == yes && -z "$(gpu_name)" ]]; then
    say "no GPU found: building for the CPU alone; --cuda on compiles the CUDA code all the same"
    cuda="off"
  fi
  case "$cuda" in
    auto) : "${build_dir:=$root/build/release}" ;;
    on) : "${build_dir:=$root/build/gpu}" ;;
    off) : "${build_dir:=$root/build/cpu}" ;;
    *) fail "--cuda takes auto, on or off, not '$cuda'." ;;
  esac
  [[ "$jobs" =~ ^[1-9][0-9]*$ ]] || fail "--jobs takes a number of at least 1, not '$jobs'."
  mkdir -p "$build_dir"
  build_dir="$(cd "$build_dir" && pwd)"
}

# need_command PACKAGE COMMAND...: one of the commands must be there, or PACKAGE is missing.
need_command() {
  local package="$1" command
  shift
  for command in "$@"; do
    command -v "$command" >/dev/null 2>&1 && return
  done
  missing+=("$package")
}

# need_header PACKAGE HEADER: looks where compilers and CMake look.
need_header() {
  local prefix
  local -a prefixes
  IFS=':' read -r -a prefixes <<<"/usr:/usr/local:${CMAKE_PREFIX_PATH:-}"
  for prefix in "${prefixes[@]}"; do
    [[ -n "$prefix" && -e "$prefix/include/$2" ]] && return
  done
  missing+=("$1")
}

# Fills `missing` for the targets that the script builds.
look_for_packages() {
  missing=()
  need_command g++ "${CXX:-c++}" g++ clang++
  need_command cmake cmake
  need_command ninja-build ninja
  need_command ccache ccache
  need_header libeigen3-dev eigen3/Eigen/Core
  need_header nlohmann-json3-dev nlohmann/json.hpp
  local target
  for target in "$@"; do
    case "$target" in
      tests) need_header libgtest-dev gtest/gtest.h ;;
      benches)
        need_header libbenchmark-dev benchmark/benchmark.h
        { python3 -c "import matplotlib" || /usr/bin/python3 -c "import matplotlib"; } >/dev/null 2>&1 || missing+=(python3-matplotlib) ;;
      apps)
        need_header libcli11-dev CLI/CLI.hpp
        need_header libopencv-dev opencv4/opencv2/core.hpp
        [[ -d /usr/share/opencv4/haarcascades ]] || missing+=(opencv-data) ;;
    esac
  done
}

install_missing() {
  if ((${#missing[@]} == 0)); then
    say "everything needed is installed"
    return
  fi
  if [[ "$install" == no ]]; then
    say "not found, and not installed because of --no-install: ${missing[*]}"
    return
  fi
  command -v apt-get >/dev/null 2>&1 ||
    fail "this system has no apt-get; install by hand what Debian calls: ${missing[*]}"
  local -a as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null 2>&1 ||
      fail "these packages are missing and neither root nor sudo is at hand to install them: ${missing[*]}"
    as_root=(sudo)
  fi
  say "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq || say "apt-get update failed; trying with the lists that are there"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "apt-get could not install: ${missing[*]}"
}

check_cmake() {
  command -v cmake >/dev/null 2>&1 || fail "cmake is missing (apt package cmake); run again without --no-install."
  local version
  version="$(cmake --version | sed -n '1s/[^0-9]*\([0-9]*\.[0-9]*\).*/\1/p')"
  printf '3.25\n%s\n' "$version" | sort -V -C ||
    fail "cmake 3.25 or newer is needed and this is $version; 'pip install cmake' brings a newer one."
}

# The nvcc that CMake will find, empty when there is none that runs.
find_nvcc() {
  local nvcc
  nvcc="$(PATH="$PATH:/usr/local/cuda/bin" command -v "${CUDACXX:-nvcc}" || true)"
  if [[ -n "$nvcc" ]] && "$nvcc" --version >/dev/null 2>&1; then
    printf '%s\n' "$nvcc"
  fi
}

gpu_name() { nvidia-smi --query-gpu=name,compute_cap --format=csv,noheader 2>/dev/null | head -n 1 || true; }

# The commit of this checkout, with -dirty where files differ; for a copy without its history, $TRIPTYCH_COMMIT.
commit_name() {
  [[ -z "${TRIPTYCH_COMMIT:-}" ]] || { printf '%s\n' "$TRIPTYCH_COMMIT"; return; }
  git -C "$root" describe --always --dirty --exclude '*' 2>/dev/null || printf 'unknown\n'
}

cpu_name() { LC_ALL=C lscpu 2>/dev/null | sed -n 's/^Model name: *//p' | head -n 1; }

# first_python MODULE PYTHON...: the first of these Pythons that has a module.
first_python() {
  local module="$1" python
  shift
  for python in "$@"; do
    if "$python" -c "import $module" >/dev/null 2>&1; then
      printf '%s\n' "$python"
      return
    fi
  done
  return 1
}

plotting_python() { first_python matplotlib python3 /usr/bin/python3; }

# Makes a virtual environment for the Python module and its tests in $build_dir/python-env, and turns the module on; says why when it cannot.
# prepare_python WHAT: what is left out then
prepare_python() {
  local env="$build_dir/python-env" python reason=""
  python="$(command -v python3 || true)"
  if [[ "${cmake_options[*]}" == *TRIPTYCH_BUILD_PYTHON* || "${cmake_options[*]}" == *TRIPTYCH_SANITIZE* ]]; then return; fi
  if [[ "$install" == no ]]; then
    reason="--no-install was given"
  elif [[ -z "$python" ]] || ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))'; then
    reason="there is no python3 of version 3.10 or newer"
  elif [[ ! -e "$env/bin/pytest" ]]; then
    say "preparing Python in $env"
    if ! "$python" -m venv "$env" >/dev/null 2>&1; then
      reason="python3 cannot make a virtual environment (apt package python3-venv)"
    elif ! "$env/bin/pip" install --quiet nanobind nanobind-backend numpy pytest typing-extensions 2>"$build_dir/python-env.log"; then
      reason="pip could not install nanobind, numpy and pytest; see $build_dir/python-env.log"
      rm -rf "$env"
    fi
  fi
  if [[ -n "$reason" ]]; then
    say "$1 are left out: $reason"
  else
    cmake_options+=(-DTRIPTYCH_BUILD_PYTHON=ON "-DPython_EXECUTABLE=$env/bin/python")
  fi
}

# Runs cmake, unless the folder was already configured with the same options, compilers and packages.
configure() {
  local -a options=(-S "$root" -B "$build_dir" -G Ninja "-DTRIPTYCH_CUDA=${cuda^^}")
  local nvcc="" gpu=""
  if [[ "$cuda" != off ]]; then
    nvcc="$(find_nvcc)"
    gpu="$(gpu_name)"
    if [[ -z "$nvcc" ]]; then
      [[ "$cuda" == on ]] || say "no CUDA compiler: CPU only"
    elif [[ -n "$gpu" ]]; then
      say "CUDA compiler $nvcc, GPU $gpu"
    elif [[ "${cmake_options[*]}" == *-DTRIPTYCH_CUDA_ARCHITECTURES* ]]; then
      say "CUDA compiler $nvcc, no GPU: the CUDA code is compiled, its tests are skipped"
    else
      say "CUDA compiler $nvcc, no GPU: the CUDA code is compiled, for 90-real alone to save time; its tests are skipped"
      options+=(-DTRIPTYCH_CUDA_ARCHITECTURES=90-real)
    fi
  fi
  [[ -z "${TRIPTYCH_DATA_DIR:-}" ]] || options+=("-DTRIPTYCH_DATA_DIR=$(realpath "$TRIPTYCH_DATA_DIR")")
  options+=("${cmake_options[@]}")

  local stamp="$build_dir/.configured-with" wish
  wish="$(printf '%s\n' "${options[@]}" "nvcc=$nvcc" "gpu=$gpu" "cxx=${CXX:-}" "prefix=${CMAKE_PREFIX_PATH:-}" "missing=${missing[*]}")"
  if [[ -f "$build_dir/build.ninja" && -f "$stamp" && "$(<"$stamp")" == "$wish" ]]; then
    say "already configured: $build_dir"
    return
  fi
  say "configuring $build_dir"
  cmake "${options[@]}"
  printf '%s\n' "$wish" >"$stamp"
}

# install_for TARGET...: what these targets need (tests, benches, apps).
install_for() {
  look_for_packages "$@"
  install_missing
  check_cmake
  look_for_packages "$@"
}

build() {
  say "building $* in $build_dir with $jobs jobs"
  cmake --build "$build_dir" --parallel "$jobs" --target "$@"
}

# prepare TARGET...: installs, configures and builds.
prepare() {
  install_for "$@"
  configure
  build "$@"
}
