# SPDX-License-Identifier: MIT
# lgkt_serve: the decision service of the command, an optional component. What it needs is found by
# pkg-config; where something is missing the command says so when it is asked to serve. libpq is
# optional in turn: without it --store is refused.

set(lgkt_serve_needs sqlite3 libsodium libevent)
set(lgkt_serve_debian libsqlite3-dev libsodium-dev libevent-dev)
set(lgkt_serve_files schemas.json page.html)
set(lgkt_serve_names srv_schemas srv_page_html)
set(lgkt_serve_missing "")
foreach(package debian IN ZIP_LISTS lgkt_serve_needs lgkt_serve_debian)
  if(LGKT_SERVE)
    pkg_check_modules(${package} QUIET IMPORTED_TARGET ${package})
  endif()
  if(NOT LGKT_SERVE OR NOT ${package}_FOUND)
    string(APPEND lgkt_serve_missing " ${debian}")
  endif()
endforeach()
string(STRIP "${lgkt_serve_missing}" lgkt_serve_missing)

if(lgkt_serve_missing)
  message(STATUS "building the command without \"serve\" (Debian: ${lgkt_serve_missing})")
else()
  file(GLOB lgkt_serve_sources CONFIGURE_DEPENDS src/serve/*.c)
  pkg_check_modules(libpq QUIET IMPORTED_TARGET libpq)
  if(NOT libpq_FOUND)
    message(STATUS "building \"serve\" without PostgreSQL (Debian: libpq-dev)")
    list(FILTER lgkt_serve_sources EXCLUDE REGEX "/(pg_[a-z]+|store_pg)\\.c$")
  endif()
  # files that are part of the command
  foreach(file name IN ZIP_LISTS lgkt_serve_files lgkt_serve_names)
    set(embedded ${PROJECT_BINARY_DIR}/${name}.c)
    add_custom_command(OUTPUT ${embedded}
      COMMAND ${CMAKE_COMMAND} -DIN=${PROJECT_SOURCE_DIR}/src/serve/${file} -DOUT=${embedded}
        -DNAME=${name} -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
      DEPENDS src/serve/${file} cmake/embed.cmake VERBATIM)
    list(APPEND lgkt_serve_sources ${embedded})
  endforeach()
  add_library(lgkt_serve STATIC ${lgkt_serve_sources})
  lgkt_set_flags(lgkt_serve)
  if(libpq_FOUND)
    target_compile_definitions(lgkt_serve PRIVATE LGKT_POSTGRESQL)
    target_link_libraries(lgkt_serve PUBLIC PkgConfig::libpq)
  endif()
  target_compile_definitions(lgkt_serve PRIVATE _POSIX_C_SOURCE=200809L)
  target_include_directories(lgkt_serve PUBLIC src)
  target_link_libraries(lgkt_serve PUBLIC lgkt_app PkgConfig::sqlite3 PkgConfig::libsodium PkgConfig::libevent)
endif()
