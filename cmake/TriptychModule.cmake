# add_module(<name> SOURCES <files> [CUDA_SOURCES <files>] [CUDA_OFF_SOURCES <files>] [MODULES <modules>] [PACKAGES <names>]
#            [PRIVATE_PACKAGES <names>])
# Makes the static library Triptych::<name> of the calling folder: include/ is public, src/ private. CUDA_SOURCES are compiled
# when CUDA is on, CUDA_OFF_SOURCES when it is off; TRIPTYCH_HAS_CUDA says which (0 or 1). MODULES and PACKAGES appear in the
# public headers, PRIVATE_PACKAGES only inside; the names are those of TriptychDependencies.cmake. With CUDA on, the static
# runtime is linked privately and device code is linked inside the library, so a consumer needs no CUDA compiler.
include_guard(GLOBAL)

function(add_module name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;CUDA_SOURCES;CUDA_OFF_SOURCES;MODULES;PACKAGES;PRIVATE_PACKAGES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "add_module(${name}): SOURCES is needed, and these arguments are unknown: '${arg_UNPARSED_ARGUMENTS}'.")
  endif()

  triptych_find_packages(missing_public public_targets ${arg_PACKAGES})
  triptych_find_packages(missing_private private_targets ${arg_PRIVATE_PACKAGES})
  set(missing ${missing_public} ${missing_private})
  if(missing)
    list(JOIN missing ", " missing)
    message(FATAL_ERROR "Triptych::${name} needs what was not found: ${missing}.")
  endif()

  set(target triptych_${name})
  add_library(${target} STATIC ${arg_SOURCES})
  add_library(Triptych::${name} ALIAS ${target})
  triptych_target_options(${target} MODULE)
  target_compile_features(${target} PUBLIC cxx_std_20)
  # Same bits whatever the optimisation and the processor that is compiled for: only the source fuses a product with a sum.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
  target_include_directories(${target}
    PUBLIC "$<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>"
    PRIVATE src)
  if(TRIPTYCH_CUDA_ENABLED)
    target_sources(${target} PRIVATE ${arg_CUDA_SOURCES})
    set(kernels ${arg_CUDA_SOURCES})
    list(FILTER kernels INCLUDE REGEX "[.]cu$")
    # Kernels stay one source each also in a unity build: each takes long to compile, and many have flags of their own.
    set_source_files_properties(${kernels} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    target_compile_definitions(${target} PUBLIC TRIPTYCH_HAS_CUDA=1)
    target_include_directories(${target} SYSTEM PRIVATE ${TRIPTYCH_CCCL_DIRS})
    list(APPEND arg_PRIVATE_PACKAGES CUDAToolkit)
    list(APPEND private_targets CUDA::cudart_static)
  else()
    target_sources(${target} PRIVATE ${arg_CUDA_OFF_SOURCES})
    target_compile_definitions(${target} PUBLIC TRIPTYCH_HAS_CUDA=0)
  endif()
  list(TRANSFORM arg_MODULES PREPEND Triptych:: OUTPUT_VARIABLE module_targets)
  target_link_libraries(${target} PUBLIC ${module_targets} ${public_targets} PRIVATE ${private_targets})
  add_dependencies(triptych_libraries ${target})

  set_property(GLOBAL APPEND PROPERTY TRIPTYCH_MODULES ${name})
  set_property(GLOBAL PROPERTY TRIPTYCH_MODULE_${name}_MODULES "${arg_MODULES}")
  set(packages ${arg_PACKAGES} ${arg_PRIVATE_PACKAGES})
  if(NOT TRIPTYCH_CUDA_ENABLED)
    list(REMOVE_ITEM packages ${TRIPTYCH_CUDA_PACKAGES})
  endif()
  list(REMOVE_DUPLICATES packages)
  set_property(GLOBAL PROPERTY TRIPTYCH_MODULE_${name}_PACKAGES "${packages}")
  if(TRIPTYCH_INSTALL)
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    install(TARGETS ${target} EXPORT Triptych-${name} ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT triptych_libraries)
    install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT triptych_libraries
      FILES_MATCHING PATTERN "*.hpp" PATTERN "*.cuh")
  endif()
endfunction()
