# SPDX-License-Identifier: MIT
# The extension of the Python package: all sources of the library and of the runner compiled as one
# piece, as the command is. Python with a GIL gets the limited API, so one file serves all from 3.11
# on; free-threaded ones have none and get the same sources compiled for them alone.
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

execute_process(
  COMMAND ${Python_EXECUTABLE} -c
    "import sysconfig; print(sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"
  OUTPUT_VARIABLE lgkt_free_threaded OUTPUT_STRIP_TRAILING_WHITESPACE)

file(GLOB lgkt_python_sources CONFIGURE_DEPENDS python/src/*.c)
add_library(lgkt_python MODULE ${lgkt_python_sources} ${lgkt_runner_sources} ${lgkt_sources})
# Python's tables of slots hold functions as void *
set_source_files_properties(${lgkt_python_sources} PROPERTIES COMPILE_OPTIONS -Wno-pedantic)
lgkt_set_flags(lgkt_python)
lgkt_set_link_flags(lgkt_python)
target_compile_options(lgkt_python PRIVATE ${lgkt_whole})
target_link_options(lgkt_python PRIVATE ${lgkt_whole})
target_compile_definitions(lgkt_python PRIVATE _POSIX_C_SOURCE=200809L LGKT_API=)
target_include_directories(lgkt_python PRIVATE include src python/src)
# not through Python::Module: pedantic warnings are about our code
target_include_directories(lgkt_python SYSTEM PRIVATE ${Python_INCLUDE_DIRS})
target_link_libraries(lgkt_python PRIVATE Threads::Threads m)
set_target_properties(lgkt_python PROPERTIES
  PREFIX "" OUTPUT_NAME _core C_VISIBILITY_PRESET hidden)
if(APPLE)
  target_link_options(lgkt_python PRIVATE -undefined dynamic_lookup)
endif()
if(lgkt_free_threaded)
  set_target_properties(lgkt_python PROPERTIES SUFFIX ".${Python_SOABI}.so")
else()
  target_compile_definitions(lgkt_python PRIVATE Py_LIMITED_API=0x030b0000)
  set_target_properties(lgkt_python PROPERTIES SUFFIX ".abi3.so")
endif()

if(SKBUILD)
  install(TARGETS lgkt_python LIBRARY DESTINATION lgkt COMPONENT python)
  install(DIRECTORY experiments DESTINATION lgkt COMPONENT python FILES_MATCHING PATTERN "*.json")
  # the command finds its experiments in ../experiments
  add_custom_target(lgkt_wheel DEPENDS lgkt_python)
  if(TARGET lgkt)
    add_dependencies(lgkt_wheel lgkt)
    install(TARGETS lgkt RUNTIME DESTINATION lgkt/bin COMPONENT python)
  endif()
elseif(NOT LGKT_SANITIZE)
  # beside the Python files, so that PYTHONPATH=python runs what was built
  set_target_properties(lgkt_python PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_SOURCE_DIR}/python/lgkt)
endif()
