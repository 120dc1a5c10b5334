# SPDX-License-Identifier: MIT
# Programs that measure speed: built when asked for, never installed.

# what a step costs those who link the library: the command once more, with the measured loop built
# and linked as users build and link
add_executable(lgkt_bench_library EXCLUDE_FROM_ALL ${lgkt_cli_sources}
  src/experiments/studies/timing.c src/experiments/runner/play.c)
lgkt_set_flags(lgkt_bench_library)
lgkt_set_link_flags(lgkt_bench_library)
target_compile_options(lgkt_bench_library PRIVATE $<$<CONFIG:Release>:-O2>)
target_compile_definitions(lgkt_bench_library PRIVATE _POSIX_C_SOURCE=200809L)
target_link_libraries(lgkt_bench_library PRIVATE lgkt_app)

# what the front for units adds to a decision
add_executable(lgkt_bench_units EXCLUDE_FROM_ALL bench/bench_units.c)
lgkt_set_flags(lgkt_bench_units)
lgkt_set_link_flags(lgkt_bench_units)
target_compile_options(lgkt_bench_units PRIVATE $<$<CONFIG:Release>:-O2>)
target_compile_definitions(lgkt_bench_units PRIVATE _POSIX_C_SOURCE=200809L)
target_link_libraries(lgkt_bench_units PRIVATE lgkt_static)

if(TARGET lgkt_serve)
  # for `make serve-bench`: the front of the server with nothing behind it, and the load
  add_executable(lgkt_bench_bare EXCLUDE_FROM_ALL bench/serve_bare.c)
  add_executable(lgkt_bench_load EXCLUDE_FROM_ALL bench/serve_load.c)
  foreach(program lgkt_bench_bare lgkt_bench_load)
    lgkt_set_flags(${program})
    lgkt_set_link_flags(${program})
    target_compile_definitions(${program} PRIVATE _GNU_SOURCE)
  endforeach()
  target_link_libraries(lgkt_bench_bare PRIVATE lgkt_serve)

  # what the service costs without HTTP
  add_executable(lgkt_bench_serve EXCLUDE_FROM_ALL bench/bench_serve.c bench/journal_store.c)
  lgkt_set_flags(lgkt_bench_serve)
  lgkt_set_link_flags(lgkt_bench_serve)
  target_compile_definitions(lgkt_bench_serve PRIVATE _POSIX_C_SOURCE=200809L)
  target_link_libraries(lgkt_bench_serve PRIVATE lgkt_serve)

  # the whole server with the journal in place of SQLite
  file(GLOB lgkt_journal_sources CONFIGURE_DEPENDS cli/*.c)
  add_executable(lgkt_bench_journal EXCLUDE_FROM_ALL ${lgkt_journal_sources} bench/journal_store.c)
  lgkt_set_flags(lgkt_bench_journal)
  lgkt_set_link_flags(lgkt_bench_journal)
  target_compile_definitions(lgkt_bench_journal PRIVATE _POSIX_C_SOURCE=200809L LGKT_SERVE)
  target_include_directories(lgkt_bench_journal PRIVATE include src)
  target_link_options(lgkt_bench_journal PRIVATE LINKER:--wrap=srv_sqlite_open)
  target_link_libraries(lgkt_bench_journal PRIVATE lgkt_serve lgkt_app)
endif()
