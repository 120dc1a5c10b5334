# SPDX-License-Identifier: MIT
# Installs headers and libraries, a CMake package and pkg-config files. All of these find
# their place relative to themselves, so an installed tree can be moved.
include(CMakePackageConfigHelpers)

set(lgkt_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/lgkt)

install(DIRECTORY include/lgkt DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h"
  PATTERN io.h EXCLUDE)
install(TARGETS ${lgkt_libraries} EXPORT lgkt-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET lgkt)
  install(TARGETS lgkt DESTINATION ${CMAKE_INSTALL_BINDIR})
  # found from the command by ../share/lgkt/experiments
  install(DIRECTORY experiments DESTINATION ${CMAKE_INSTALL_DATADIR}/lgkt FILES_MATCHING PATTERN "*.json")
endif()
install(EXPORT lgkt-targets NAMESPACE lgkt:: DESTINATION ${lgkt_cmake_dir})

configure_package_config_file(cmake/lgkt-config.cmake.in ${PROJECT_BINARY_DIR}/lgkt-config.cmake
  INSTALL_DESTINATION ${lgkt_cmake_dir})
# before 1.0 a new minor version may break callers
write_basic_package_version_file(${PROJECT_BINARY_DIR}/lgkt-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/lgkt-config.cmake
              ${PROJECT_BINARY_DIR}/lgkt-config-version.cmake
  DESTINATION ${lgkt_cmake_dir})

file(RELATIVE_PATH lgkt_pc_to_prefix
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
list(JOIN lgkt_learner_names " " lgkt_pc_learners)
list(JOIN lgkt_env_names " " lgkt_pc_environments)
configure_file(lgkt.pc.in ${PROJECT_BINARY_DIR}/lgkt.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/lgkt.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# lgkt-io, the component io
if(TARGET lgkt_io_static)
  install(FILES include/lgkt/io.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/lgkt)
  install(TARGETS lgkt_io_static lgkt_io_shared EXPORT lgkt-io-targets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT lgkt-io-targets NAMESPACE lgkt:: DESTINATION ${lgkt_cmake_dir})
  configure_file(lgkt-io.pc.in ${PROJECT_BINARY_DIR}/lgkt-io.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/lgkt-io.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
