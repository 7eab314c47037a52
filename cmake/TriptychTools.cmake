# Compiler options of every target of the project: warnings, sanitizers, ccache.
include_guard(GLOBAL)
include(GNUInstallDirs)

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

# triptych_target_options(<target>): C++20, warnings, nvcc's flags and the sanitizers. The sanitizer flags of a library
# also apply to the targets that link it.
function(triptych_target_options target)
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF CUDA_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>
    $<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda;--expt-relaxed-constexpr;-lineinfo;-Xcompiler=-Wall,-Wextra>)
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
