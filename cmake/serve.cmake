# SPDX-License-Identifier: MIT
# lgkt_serve: the decision service of the command, an optional component. What it needs is found by
# pkg-config; where something is missing the command says so when it is asked to serve.

set(lgkt_serve_needs sqlite3 libsodium libevent)
set(lgkt_serve_debian libsqlite3-dev libsodium-dev libevent-dev)
set(lgkt_serve_missing "")
foreach(package debian IN ZIP_LISTS lgkt_serve_needs lgkt_serve_debian)
  pkg_check_modules(${package} QUIET IMPORTED_TARGET ${package})
  if(NOT ${package}_FOUND)
    string(APPEND lgkt_serve_missing " ${debian}")
  endif()
endforeach()
string(STRIP "${lgkt_serve_missing}" lgkt_serve_missing)

if(lgkt_serve_missing)
  message(STATUS "building the command without \"serve\" (Debian: ${lgkt_serve_missing})")
else()
  file(GLOB lgkt_serve_sources CONFIGURE_DEPENDS src/serve/*.c)
  add_library(lgkt_serve STATIC ${lgkt_serve_sources})
  lgkt_set_flags(lgkt_serve)
  target_compile_definitions(lgkt_serve PRIVATE _POSIX_C_SOURCE=200809L)
  target_include_directories(lgkt_serve PUBLIC src)
  target_link_libraries(lgkt_serve PUBLIC lgkt_app PkgConfig::sqlite3 PkgConfig::libsodium PkgConfig::libevent)
endif()

# what the service costs without HTTP
if(TARGET lgkt_serve)
  add_executable(lgkt_bench_serve EXCLUDE_FROM_ALL bench/bench_serve.c bench/journal_store.c)
  lgkt_set_flags(lgkt_bench_serve)
  lgkt_set_link_flags(lgkt_bench_serve)
  target_compile_definitions(lgkt_bench_serve PRIVATE _POSIX_C_SOURCE=200809L)
  target_link_libraries(lgkt_bench_serve PRIVATE lgkt_serve)
endif()
