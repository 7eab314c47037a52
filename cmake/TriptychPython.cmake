# Finds Python and nanobind for the Python module, and what pip has put into its build environment: the headers of Eigen
# (cmeel-eigen) and of nlohmann/json, so that `pip install .` needs a C++ compiler and the headers of Python. Packages of the system win.
include_guard(GLOBAL)

find_package(Python 3.10 COMPONENTS Interpreter Development.Module OPTIONAL_COMPONENTS Development.SABIModule)
if(Python_Interpreter_FOUND AND NOT Python_Development.Module_FOUND)
  message(FATAL_ERROR "The headers of ${Python_EXECUTABLE} are missing: on Debian and Ubuntu run `apt-get install python3-dev`, "
    "on Fedora `dnf install python3-devel`.")
elseif(NOT Python_FOUND)
  message(FATAL_ERROR "TRIPTYCH_BUILD_PYTHON is on, and there is no Python of version 3.10 or newer.")
endif()
execute_process(COMMAND "${Python_EXECUTABLE}" -c "import sysconfig; print(sysconfig.get_path('purelib'))"
  OUTPUT_VARIABLE _site OUTPUT_STRIP_TRAILING_WHITESPACE)
set(_sites "${_site}")
foreach(_path IN LISTS CMAKE_PREFIX_PATH)  # scikit-build-core lists the site-packages of its build environment here
  list(APPEND _sites "${_path}")
endforeach()

find_package(Eigen3 3.3 QUIET)
find_package(nlohmann_json 3.9 QUIET)
foreach(_site IN LISTS _sites)
  if(NOT Eigen3_FOUND AND IS_DIRECTORY "${_site}/cmeel.prefix")
    list(APPEND CMAKE_PREFIX_PATH "${_site}/cmeel.prefix")
  endif()
  if(NOT nlohmann_json_FOUND AND EXISTS "${_site}/nlohmann_json/include/nlohmann/json.hpp")
    set(nlohmann_json_DIR "${PROJECT_BINARY_DIR}/nlohmann_json" CACHE PATH "" FORCE)
    file(WRITE "${nlohmann_json_DIR}/nlohmann_jsonConfig.cmake"
      "if(NOT TARGET nlohmann_json::nlohmann_json)\n"
      "  add_library(nlohmann_json::nlohmann_json INTERFACE IMPORTED)\n"
      "  set_target_properties(nlohmann_json::nlohmann_json PROPERTIES INTERFACE_INCLUDE_DIRECTORIES \"${_site}/nlohmann_json/include\")\n"
      "endif()\n")
    file(WRITE "${nlohmann_json_DIR}/nlohmann_jsonConfigVersion.cmake" "set(PACKAGE_VERSION 3.12.0)\nset(PACKAGE_VERSION_COMPATIBLE TRUE)\n")
  endif()
endforeach()

execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE _status ERROR_QUIET)
if(NOT _status EQUAL 0)
  message(FATAL_ERROR "TRIPTYCH_BUILD_PYTHON is on, and ${Python_EXECUTABLE} has no nanobind: use `pip install .`, or `pip install nanobind` first.")
endif()
find_package(nanobind 3 CONFIG REQUIRED)

# Inside a wheel the GPU code is a quarter of the size when it is compressed well, which drivers of CUDA 13 can read.
if(SKBUILD AND TRIPTYCH_CUDA_ENABLED AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  string(APPEND CMAKE_CUDA_FLAGS " --compress-mode=size")
endif()
