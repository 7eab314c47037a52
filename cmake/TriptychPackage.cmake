# The CMake package Triptych: one export file per module, a config that loads the components asked for, a version file. It is
# written for the install tree and, with the same content, for the build tree (-DTriptych_DIR=<build folder>). Also what is
# installed beside the libraries: documentation, licence and examples.
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

get_property(modules GLOBAL PROPERTY TRIPTYCH_MODULES)
set(TRIPTYCH_PACKAGE_TABLE "set(_triptych_modules ${modules})\n")
set(used_packages "")
foreach(module IN LISTS modules)
  get_property(needed_modules GLOBAL PROPERTY TRIPTYCH_MODULE_${module}_MODULES)
  get_property(packages GLOBAL PROPERTY TRIPTYCH_MODULE_${module}_PACKAGES)
  string(APPEND TRIPTYCH_PACKAGE_TABLE "set(_triptych_modules_of_${module} ${needed_modules})\n")
  string(APPEND TRIPTYCH_PACKAGE_TABLE "set(_triptych_packages_of_${module} ${packages})\n")
  list(APPEND used_packages ${packages})
endforeach()
list(REMOVE_DUPLICATES used_packages)
foreach(package IN LISTS used_packages)
  get_property(find_arguments GLOBAL PROPERTY TRIPTYCH_PACKAGE_${package}_FIND)
  get_property(apt GLOBAL PROPERTY TRIPTYCH_PACKAGE_${package}_APT)
  string(APPEND TRIPTYCH_PACKAGE_TABLE "set(_triptych_find_${package} ${find_arguments})\n")
  string(APPEND TRIPTYCH_PACKAGE_TABLE "set(_triptych_apt_${package} ${apt})\n")
endforeach()
string(REPLACE ";" " " TRIPTYCH_PACKAGE_TABLE "${TRIPTYCH_PACKAGE_TABLE}")

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/Triptych")
configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/TriptychConfig.cmake.in" "${PROJECT_BINARY_DIR}/TriptychConfig.cmake"
  INSTALL_DESTINATION "${package_dir}" NO_SET_AND_CHECK_MACRO NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/TriptychConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/TriptychConfig.cmake" "${PROJECT_BINARY_DIR}/TriptychConfigVersion.cmake"
  DESTINATION "${package_dir}" COMPONENT triptych_libraries)
foreach(module IN LISTS modules)
  install(EXPORT Triptych-${module} NAMESPACE Triptych:: DESTINATION "${package_dir}" COMPONENT triptych_libraries)
  export(EXPORT Triptych-${module} NAMESPACE Triptych:: FILE "${PROJECT_BINARY_DIR}/Triptych-${module}.cmake")
endforeach()

# The documentation, in the folders that its links name; and the examples, which are a project of their own.
set(doc_dir "${CMAKE_INSTALL_DATAROOTDIR}/doc/triptych")
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION "${doc_dir}" COMPONENT triptych_libraries)
set(doc_folders ${modules} apps bench/results)
list(REMOVE_ITEM doc_folders mpi)  # a library of core
foreach(folder IN LISTS doc_folders)
  install(DIRECTORY ${folder}/ DESTINATION "${doc_dir}/${folder}" COMPONENT triptych_libraries
    FILES_MATCHING PATTERN "*.md" PATTERN "*.jpg" PATTERN "*.png" PATTERN "*.svg"
    PATTERN "include" EXCLUDE PATTERN "src" EXCLUDE PATTERN "*_demo" EXCLUDE PATTERN "common" EXCLUDE PATTERN "examples" EXCLUDE
    PATTERN "python" EXCLUDE)
endforeach()
install(DIRECTORY apps/examples/ DESTINATION "${CMAKE_INSTALL_DATAROOTDIR}/triptych/examples" COMPONENT triptych_libraries
  FILES_MATCHING PATTERN "*.cpp" PATTERN "CMakeLists.txt")
