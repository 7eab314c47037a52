# One step of the consumer tests, run by ctest as cmake -P; see CMakeLists.txt for the variables. Every step starts from an
# empty scratch folder and stops with a sentence when something is not as expected.
cmake_minimum_required(VERSION 3.25)

set(common -G "${GENERATOR}" "-DCMAKE_BUILD_TYPE=${CONFIG}" "-DCMAKE_CXX_COMPILER=${CXX}")
if(LAUNCHER)
  list(APPEND common "-DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}" "-DCMAKE_CUDA_COMPILER_LAUNCHER=${LAUNCHER}")
endif()
# What makes a nested build of Triptych compile with the same command lines as the outer one, so that ccache serves it.
string(REPLACE ";" "\\;" architectures "${ARCHITECTURES}")
set(library_options "-DTRIPTYCH_WARNINGS_AS_ERRORS=${STRICT}")
if(CUDA)
  list(APPEND library_options -DTRIPTYCH_CUDA=ON "-DTRIPTYCH_CUDA_ARCHITECTURES=${architectures}" "-DCMAKE_CUDA_COMPILER=${NVCC}")
else()
  list(APPEND library_options -DTRIPTYCH_CUDA=OFF)
endif()

# Lists as one argument of a command line.
string(REPLACE ";" "\\;" prefix_path "${PREFIX_PATH}")
string(REPLACE ";" "\\;" prefix_path_installed "${PREFIX};${PREFIX_PATH}")
string(REPLACE ";" "\\;" modules "${MODULES}")

# run(<what> <command>...): prints the output, stops when the command fails.
function(run what)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status COMMAND_ECHO STDOUT)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "${what} failed (${status}).")
  endif()
endfunction()

# must_fail(<sentence> <command>...): stops unless the command fails with the sentence in its output, line breaks aside.
function(must_fail sentence)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output COMMAND_ECHO STDOUT)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  if(status EQUAL 0)
    message(FATAL_ERROR "It should have failed with: ${sentence}")
  endif()
  string(FIND "${output}" "${sentence}" where)
  if(where EQUAL -1)
    message(FATAL_ERROR "It failed, but without the sentence '${sentence}':\n${output}")
  endif()
endfunction()

# Configures the outside project with the options given; builds and runs the program of each module.
function(build_and_run)
  run("Configuring the project" "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/project" -B "${SCRATCH}"
    ${common} "-DEXPECT_CUDA=${CUDA}" "-DASK_VERSION=${VERSION}" "-DMODULES=${modules}" ${ARGN})
  foreach(module IN LISTS MODULES)
    run("Building ${module}_user" "${CMAKE_COMMAND}" --build "${SCRATCH}" --parallel ${JOBS} --target ${module}_user)
    file(GLOB_RECURSE built "${SCRATCH}/*.a")
    list(FILTER built EXCLUDE REGEX "libtriptych_core\\.a$")
    if(built AND module STREQUAL "core")
      message(FATAL_ERROR "Linking Triptych::core alone also built ${built}.")
    endif()
    run("Running ${module}_user" "${SCRATCH}/${module}_user")
  endforeach()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
if(STEP STREQUAL "install")
  file(REMOVE_RECURSE "${PREFIX}")
  run("Installing" "${CMAKE_COMMAND}" --install "${TREE}" --config "${CONFIG}" --prefix "${PREFIX}" --component triptych_libraries)
  foreach(file IN ITEMS doc/triptych/LICENSE doc/triptych/README.md doc/triptych/core/README.md triptych/examples/CMakeLists.txt)
    if(NOT EXISTS "${PREFIX}/share/${file}")
      message(FATAL_ERROR "share/${file} was not installed.")
    endif()
  endforeach()
elseif(STEP STREQUAL "installed")
  build_and_run("-DCMAKE_PREFIX_PATH=${prefix_path_installed}")
elseif(STEP STREQUAL "examples")  # built only: they run as tests of their own
  run("Configuring the examples" "${CMAKE_COMMAND}" -S "${PREFIX}/share/triptych/examples" -B "${SCRATCH}" ${common}
    "-DCMAKE_PREFIX_PATH=${prefix_path_installed}")
  run("Building the examples" "${CMAKE_COMMAND}" --build "${SCRATCH}" --parallel ${JOBS})
elseif(STEP STREQUAL "build_tree")
  build_and_run("-DCMAKE_PREFIX_PATH=${prefix_path}" "-DTriptych_DIR=${TREE}")
elseif(STEP STREQUAL "two_libraries")
  run("Configuring the project" "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/project" -B "${SCRATCH}" ${common}
    "-DCMAKE_PREFIX_PATH=${prefix_path}" "-DTriptych_DIR=${TREE}" "-DASK_VERSION=${VERSION}" "-DMODULES=${modules}" -DTWO_LIBRARIES=ON)
  run("Building" "${CMAKE_COMMAND}" --build "${SCRATCH}" --parallel ${JOBS})
  run("Running" "${SCRATCH}/two_libraries_user")
elseif(STEP STREQUAL "add_subdirectory")
  build_and_run("-DCMAKE_PREFIX_PATH=${prefix_path}" ${library_options} "-DTRIPTYCH_SOURCE=${SOURCE}" -DCMAKE_UNITY_BUILD=ON)
elseif(STEP STREQUAL "bits")
  # bits_user with the libraries of the build tree, then with those of unity builds by other options, must print the same digests.
  set(project "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/project" ${common} -DBITS=ON "-DASK_VERSION=${VERSION}")
  # Warnings are no errors there: g++ 12 warns of its own AVX-512 intrinsics in Eigen.
  set(from_source ${project} "-DTRIPTYCH_SOURCE=${SOURCE}" -DTRIPTYCH_WARNINGS_AS_ERRORS=OFF -DTRIPTYCH_CUDA=OFF
    -DCMAKE_UNITY_BUILD=ON -DCMAKE_BUILD_TYPE=None)
  run("Configuring tree" ${project} -B "${SCRATCH}.tree" "-DTriptych_DIR=${TREE}" "-DMODULES=${modules}" "-DCMAKE_PREFIX_PATH=${prefix_path}")
  set(flags_of_O0 "-O0")
  set(flags_of_native "-O3 -march=native")
  foreach(build IN LISTS BITS_BUILDS)
    run("Configuring ${build}" ${from_source} -B "${SCRATCH}.${build}" "-DCMAKE_CXX_FLAGS=${flags_of_${build}}" "-DCMAKE_PREFIX_PATH=${prefix_path}")
  endforeach()
  file(REMOVE "${SCRATCH}.aam")
  cmake_host_system_information(RESULT platform QUERY OS_PLATFORM)
  foreach(build IN ITEMS tree ${BITS_BUILDS})
    run("Building ${build}" "${CMAKE_COMMAND}" --build "${SCRATCH}.${build}" --parallel ${JOBS} --target bits_user)
    execute_process(COMMAND "${SCRATCH}.${build}/bits_user" "${SCRATCH}.aam" OUTPUT_VARIABLE printed RESULT_VARIABLE status)
    message("${build}:\n${printed}")
    if(build STREQUAL "native" AND platform STREQUAL "x86_64")  # Eigen's packs follow -march there
      string(REGEX REPLACE "aam_fit::(train|Fitter)[^\n]*\n" "" printed "${printed}")
      string(REGEX REPLACE "aam_fit::(train|Fitter)[^\n]*\n" "" expected "${expected}")
    elseif(build STREQUAL "tree")
      set(expected "${printed}")
    endif()
    if(NOT status EQUAL 0 OR NOT printed STREQUAL expected)
      message(FATAL_ERROR "bits_user of the build ${build} ended with ${status}, or printed other digests than that of the build tree.")
    endif()
  endforeach()
elseif(STEP STREQUAL "unknown_component")
  must_fail("Triptych has no module called 'nonsense'; it has: core" "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/project"
    -B "${SCRATCH}" ${common} "-DCMAKE_PREFIX_PATH=${prefix_path}" "-DTriptych_DIR=${TREE}" "-DASK_VERSION=${VERSION}" -DMODULES=core -DEXTRA_COMPONENT=nonsense)
  must_fail("needs Triptych 7.1 or compatible, but" "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/project" -B "${SCRATCH}"
    ${common} "-DCMAKE_PREFIX_PATH=${prefix_path}" "-DTriptych_DIR=${TREE}" -DMODULES=core -DASK_VERSION=7.1)
elseif(STEP STREQUAL "no_cuda_compiler")
  set(configure "${CMAKE_COMMAND}" -E env CUDACXX=/there/is/no/nvcc "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${SCRATCH}" ${common}
    "-DCMAKE_PREFIX_PATH=${prefix_path}" -DTRIPTYCH_BUILD_TESTS=OFF -DTRIPTYCH_BUILD_APPS=OFF -DTRIPTYCH_BUILD_BENCH=OFF)
  must_fail("TRIPTYCH_CUDA=ON but no CUDA compiler was found" ${configure} -DTRIPTYCH_CUDA=ON)
  run("Configuring with TRIPTYCH_CUDA=AUTO and no compiler" ${configure} -DTRIPTYCH_CUDA=AUTO)
else()
  message(FATAL_ERROR "run.cmake knows no step called '${STEP}'.")
endif()
