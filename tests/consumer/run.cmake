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

# Configures, builds and runs the outside project with the options given.
function(build_and_run)
  run("Configuring the project" "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/project" -B "${SCRATCH}"
    ${common} "-DEXPECT_CUDA=${CUDA}" ${ARGN})
  # First the program that uses core alone: nothing of the other modules may be built or linked for it.
  run("Building core_only" "${CMAKE_COMMAND}" --build "${SCRATCH}" --parallel 2 --target core_only)
  file(GLOB_RECURSE built "${SCRATCH}/*.a")
  list(FILTER built EXCLUDE REGEX "libtriptych_core\\.a$")
  if(built)
    message(FATAL_ERROR "Linking Triptych::core alone also built ${built}.")
  endif()
  run("Running core_only" "${SCRATCH}/core_only")
  run("Building the rest" "${CMAKE_COMMAND}" --build "${SCRATCH}" --parallel 2)
  file(GLOB programs "${SCRATCH}/*_user")
  foreach(program IN LISTS programs)
    run("Running ${program}" "${program}")
  endforeach()
endfunction()

file(REMOVE_RECURSE "${SCRATCH}")
if(STEP STREQUAL "install")
  file(REMOVE_RECURSE "${PREFIX}")
  run("Installing" "${CMAKE_COMMAND}" --install "${TREE}" --config "${CONFIG}" --prefix "${PREFIX}" --component triptych_libraries)
elseif(STEP STREQUAL "cpu_tree")
  run("Configuring a CPU-only Triptych" "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${SCRATCH}" ${common} ${library_options}
    "-DCMAKE_PREFIX_PATH=${PREFIX_PATH}" -DTRIPTYCH_BUILD_TESTS=OFF -DTRIPTYCH_BUILD_APPS=OFF -DTRIPTYCH_BUILD_BENCH=OFF)
  run("Building a CPU-only Triptych" "${CMAKE_COMMAND}" --build "${SCRATCH}" --parallel 2)
elseif(STEP STREQUAL "find_package" AND TREE)
  build_and_run("-DCMAKE_PREFIX_PATH=${PREFIX_PATH}" "-DTriptych_DIR=${TREE}")
elseif(STEP STREQUAL "find_package")
  build_and_run("-DCMAKE_PREFIX_PATH=${PREFIX};${PREFIX_PATH}")
elseif(STEP STREQUAL "add_subdirectory")
  build_and_run("-DCMAKE_PREFIX_PATH=${PREFIX_PATH}" ${library_options} "-DTRIPTYCH_SOURCE=${SOURCE}")
elseif(STEP STREQUAL "unknown_component")
  must_fail("Triptych has no module called 'nonsense'; it has: core" "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/project"
    -B "${SCRATCH}" ${common} "-DCMAKE_PREFIX_PATH=${PREFIX_PATH}" "-DTriptych_DIR=${TREE}" -DEXTRA_COMPONENT=nonsense)
  must_fail("needs Triptych 7.1 or compatible, but" "${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/project" -B "${SCRATCH}"
    ${common} "-DCMAKE_PREFIX_PATH=${PREFIX_PATH}" "-DTriptych_DIR=${TREE}" -DASK_VERSION=7.1)
elseif(STEP STREQUAL "no_cuda_compiler")
  set(configure "${CMAKE_COMMAND}" -E env CUDACXX=/there/is/no/nvcc "${CMAKE_COMMAND}" -S "${SOURCE}" -B "${SCRATCH}" ${common}
    "-DCMAKE_PREFIX_PATH=${PREFIX_PATH}" -DTRIPTYCH_BUILD_TESTS=OFF -DTRIPTYCH_BUILD_APPS=OFF -DTRIPTYCH_BUILD_BENCH=OFF)
  must_fail("TRIPTYCH_CUDA=ON but no CUDA compiler was found" ${configure} -DTRIPTYCH_CUDA=ON)
  run("Configuring with TRIPTYCH_CUDA=AUTO and no compiler" ${configure} -DTRIPTYCH_CUDA=AUTO)
else()
  message(FATAL_ERROR "run.cmake knows no step called '${STEP}'.")
endif()
