# add_triptych_test, add_triptych_bench, add_triptych_app: executables of the project, all in <build>/bin. Sources are paths
# relative to the calling folder; those ending in .cu are compiled only when CUDA is on, and a program that has no source left
# is not built.
include_guard(GLOBAL)

# triptych_program(<name> SOURCES <files> [MODULES <modules>]): sets <name>_MADE for the caller. Under a sanitizer
# TRIPTYCH_SANITIZED is defined.
function(triptych_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;MODULES")
  set(sources ${arg_SOURCES})
  if(NOT TRIPTYCH_CUDA_ENABLED)
    list(FILTER sources EXCLUDE REGEX "\\.cu$")
  endif()
  set(${name}_MADE FALSE PARENT_SCOPE)
  if(sources)
    add_executable(${name} ${sources})
    set(kernels ${sources})
    list(FILTER kernels INCLUDE REGEX "[.]cu$")
    triptych_compile_alone(${kernels})
    triptych_target_options(${name})
    target_compile_features(${name} PRIVATE cxx_std_20)
    list(TRANSFORM arg_MODULES PREPEND Triptych::)
    target_link_libraries(${name} PRIVATE ${arg_MODULES})
    if(TRIPTYCH_CUDA_ENABLED)
      target_link_libraries(${name} PRIVATE CUDA::cudart_static)
      target_include_directories(${name} SYSTEM PRIVATE ${TRIPTYCH_CCCL_DIRS})
    endif()
    if(TRIPTYCH_SANITIZE)
      target_compile_definitions(${name} PRIVATE TRIPTYCH_SANITIZED)
    endif()
    set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
    set(${name}_MADE TRUE PARENT_SCOPE)
  endif()
endfunction()

# add_triptych_test(<name> SOURCES <files> MODULES <modules> [LABEL <label>] [SERIAL] [TOGETHER] [REPLACES_NEW]): a GoogleTest program whose cases
# become tests of their own (under a sanitizer: one test), labelled with the last of MODULES. SERIAL: no other test runs meanwhile (it needs the memory
# or the time). TOGETHER: one test for all cases, whose process makes once what they share, as a model that is trained for seconds.
# REPLACES_NEW: the program defines operator new, as the thread sanitizer does, under which it is not built.
function(add_triptych_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SERIAL;TOGETHER;REPLACES_NEW" "LABEL" "SOURCES;MODULES")
  if(arg_REPLACES_NEW AND TRIPTYCH_SANITIZE MATCHES "thread")
    return()
  endif()
  triptych_program(${name} SOURCES ${arg_SOURCES} MODULES ${arg_MODULES})
  if(NOT ${name}_MADE)
    return()
  endif()
  if(NOT arg_LABEL)
    list(GET arg_MODULES -1 arg_LABEL)
  endif()
  target_link_libraries(${name} PRIVATE triptych_test_support)
  # Checks hold the name of their file: relative to the project, so that ccache serves a clone elsewhere.
  target_compile_options(${name} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU,Clang,AppleClang>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)
  set(environment "")
  if(TRIPTYCH_DATA_DIR)
    get_filename_component(data_dir "${TRIPTYCH_DATA_DIR}" ABSOLUTE BASE_DIR "${PROJECT_SOURCE_DIR}")
    set(environment ENVIRONMENT "TRIPTYCH_DATA_DIR=${data_dir}")
  endif()
  if(TRIPTYCH_SANITIZE OR arg_TOGETHER)  # a sanitizer's check for leaks at the end of a process takes seconds
    add_test(NAME ${arg_LABEL}.${name} COMMAND ${name})
    set_tests_properties(${arg_LABEL}.${name} PROPERTIES LABELS ${arg_LABEL} TIMEOUT 1800 RUN_SERIAL ${arg_SERIAL} ${environment})
  else()
    gtest_discover_tests(${name} TEST_PREFIX "${arg_LABEL}." DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS ${arg_LABEL} TIMEOUT 600 RUN_SERIAL ${arg_SERIAL} ${environment})
  endif()
  add_dependencies(tests ${name})
endfunction()

# add_triptych_bench(<name> SOURCES <files> MODULES <modules> [PACKAGES <names>]): a program that the targets bench and
# bench_quick run.
function(add_triptych_bench name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;MODULES;PACKAGES")
  triptych_find_packages(missing found ${arg_PACKAGES})
  if(missing)
    list(JOIN missing ", " missing)
    message(STATUS "Triptych: ${name} is off: not found: ${missing}")
    return()
  endif()
  triptych_program(${name} SOURCES ${arg_SOURCES} MODULES ${arg_MODULES})
  if(${name}_MADE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)  # many of their sources use the same names
    target_link_libraries(${name} PRIVATE ${found} $<TARGET_NAME_IF_EXISTS:triptych_bench_support>)
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/bench")
    set_property(GLOBAL APPEND PROPERTY TRIPTYCH_BENCHES ${name})
    add_dependencies(benches ${name})
  endif()
endfunction()

# add_triptych_app(<name> SOURCES <files> MODULES <modules>): a demo program, linked to what demos share, to OpenCV and CLI11.
function(add_triptych_app name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;MODULES")
  triptych_program(${name} SOURCES ${arg_SOURCES} MODULES ${arg_MODULES})
  if(${name}_MADE)
    target_link_libraries(${name} PRIVATE triptych_app_common)
    install(TARGETS ${name} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT triptych_apps)
    add_dependencies(apps ${name})
  endif()
endfunction()
