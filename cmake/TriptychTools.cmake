# Compiler options of every target of the project: warnings, hardening, sanitizers, coverage, ccache.
include_guard(GLOBAL)
include(GNUInstallDirs)

option(TRIPTYCH_HARDEN "Stack protectors, _FORTIFY_SOURCE, and programs with read-only relocations" OFF)
option(TRIPTYCH_COVERAGE "Count executed lines and branches (g++); the target coverage runs the tests and prints a table" OFF)
if(TRIPTYCH_HARDEN)
  include(CheckPIESupported)
  check_pie_supported(LANGUAGES CXX)
endif()

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  find_program(TRIPTYCH_CCACHE ccache DOC "Compiler cache, used when present")
  mark_as_advanced(TRIPTYCH_CCACHE)
  if(TRIPTYCH_CCACHE)
    foreach(language CXX CUDA)
      if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
        set(CMAKE_${language}_COMPILER_LAUNCHER "${TRIPTYCH_CCACHE}")
      endif()
    endforeach()
  endif()
endif()

# triptych_compile_alone(<sources>): a unity build keeps them apart, because they use the names of other sources.
function(triptych_compile_alone)
  if(ARGN)
    set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
endfunction()

# triptych_target_options(<target> [MODULE]): C++20, warnings, nvcc's flags and the sanitizers. The sanitizer flags of a library
# also apply to the targets that link it. MODULE: a library of Triptych, which TRIPTYCH_PROGRAM_FLAGS leaves alone.
set(TRIPTYCH_PROGRAM_FLAGS "" CACHE STRING
  "Compiler options, after all others, of what is no library of Triptych: with -O1, tests and demos are built in two thirds of the time")
mark_as_advanced(TRIPTYCH_PROGRAM_FLAGS)
function(triptych_target_options target)
  # In a unity build a source counts as included: g++ takes the types of its anonymous namespaces for those of a header, and what one
  # source declares shadows what the next one does.
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF CUDA_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON UNITY_BUILD "${CMAKE_UNITY_BUILD}")
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wconversion>
    $<$<COMPILE_LANGUAGE:CXX>:$<IF:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>,-Wshadow>>
    $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda;--expt-relaxed-constexpr;-lineinfo;-Xcompiler=-Wall,-Wextra>)
  if(NOT "MODULE" IN_LIST ARGN)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:${TRIPTYCH_PROGRAM_FLAGS}>)
  endif()
  if(TRIPTYCH_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Werror>
      $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>)
  endif()
  if(TRIPTYCH_CUDA_ENABLED)
    set_target_properties(${target} PROPERTIES CUDA_ARCHITECTURES "${TRIPTYCH_CUDA_ARCHITECTURES}")
    if(cuda_std_20 IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
      set_target_properties(${target} PROPERTIES CUDA_STANDARD 20 CUDA_STANDARD_REQUIRED ON)
    else()  # CMake before 3.25.2 does not know that nvcc speaks C++20
      set_property(TARGET ${target} PROPERTY CUDA_STANDARD)
      target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
    endif()
  endif()
  if(TRIPTYCH_HARDEN)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fstack-protector-strong>)
    if(NOT TRIPTYCH_SANITIZE)  # the sanitizers replace the checked functions
      target_compile_options(${target} PRIVATE
        $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<NOT:$<CONFIG:Debug>>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>)
    endif()
    target_link_options(${target} PRIVATE -Wl,-z,relro,-z,now,-z,noexecstack)
  endif()
  if(TRIPTYCH_COVERAGE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:--coverage;-fprofile-update=atomic>)
    target_link_options(${target} PRIVATE --coverage)
    get_target_property(type ${target} TYPE)
    if(type STREQUAL STATIC_LIBRARY)
      target_link_options(${target} INTERFACE --coverage)
    endif()
  endif()
  if(TRIPTYCH_SANITIZE)
    get_target_property(type ${target} TYPE)
    set(scope PRIVATE)
    if(type STREQUAL STATIC_LIBRARY)
      set(scope PUBLIC)
    endif()
    target_compile_options(${target} ${scope}
      $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${TRIPTYCH_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
    target_link_options(${target} ${scope} -fsanitize=${TRIPTYCH_SANITIZE})
  endif()
endfunction()

# triptych_find_plotting_python(<variable>): the first Python that has matplotlib; empty when none has.
function(triptych_find_plotting_python variable)
  foreach(python IN ITEMS python3 /usr/bin/python3)
    execute_process(COMMAND ${python} -c "import matplotlib" RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(failed EQUAL 0)
      set(${variable} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${variable} "" PARENT_SCOPE)
endfunction()

# The target coverage: builds the tests, runs them, and prints the covered lines and branches of each folder.
if(TRIPTYCH_COVERAGE)
  add_custom_target(coverage
    COMMAND "${CMAKE_CTEST_COMMAND}" --output-on-failure -LE "consumer|docs|structure|soak"
    COMMAND python3 "${CMAKE_CURRENT_LIST_DIR}/coverage.py" "${PROJECT_SOURCE_DIR}" "${PROJECT_BINARY_DIR}"
    WORKING_DIRECTORY "${PROJECT_BINARY_DIR}" USES_TERMINAL VERBATIM)
endif()
