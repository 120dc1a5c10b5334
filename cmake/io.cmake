# SPDX-License-Identifier: MIT
# lgkt-io, the library that reads and writes files (lgkt/io.h), static and shared. It stands beside
# liblgkt and may be linked with it statically, so nothing but lgkt_io_* may be seen of it: its
# objects, with what they need of core, are linked into one, whose other names are made local.

set(lgkt_io_sources src/io/files/io_env.c src/io/files/io_jansson.c src/io/formats/io_decision.c
  src/io/formats/io_document.c src/io/formats/io_model.c src/io/formats/io_model_write.c
  src/io/formats/io_tape.c src/io/plain/io_json.c src/io/plain/io_text.c src/core/alloc.c
  src/core/error.c src/core/hash.c src/core/number.c src/core/sized.c src/core/text.c)
add_library(lgkt_io_objects OBJECT ${lgkt_io_sources})
lgkt_set_flags(lgkt_io_objects)
target_compile_definitions(lgkt_io_objects PRIVATE _POSIX_C_SOURCE=200809L)
# link-time code has no names to make local
target_compile_options(lgkt_io_objects PRIVATE -fno-lto)
target_include_directories(lgkt_io_objects PRIVATE include src)
target_link_libraries(lgkt_io_objects PRIVATE PkgConfig::jansson)
set_target_properties(lgkt_io_objects PROPERTIES
  POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden INTERPROCEDURAL_OPTIMIZATION OFF)

# flags that choose the machine (-m32) matter when objects are joined, too
separate_arguments(lgkt_io_flags NATIVE_COMMAND "${CMAKE_C_FLAGS}")
set(lgkt_io_object ${PROJECT_BINARY_DIR}/lgkt-io${CMAKE_C_OUTPUT_EXTENSION})
add_custom_command(OUTPUT ${lgkt_io_object}
  COMMAND ${CMAKE_C_COMPILER} ${lgkt_io_flags} -fno-lto -nostdlib -r -o ${lgkt_io_object}
    $<TARGET_OBJECTS:lgkt_io_objects>
  COMMAND ${CMAKE_OBJCOPY} --wildcard --keep-global-symbol=lgkt_io_* ${lgkt_io_object}
  DEPENDS lgkt_io_objects $<TARGET_OBJECTS:lgkt_io_objects>
  COMMENT "Joining the objects of lgkt-io" COMMAND_EXPAND_LISTS VERBATIM)
add_custom_target(lgkt_io_joined DEPENDS ${lgkt_io_object})
set_source_files_properties(${lgkt_io_object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)

foreach(kind static shared)
  string(TOUPPER ${kind} KIND)
  add_library(lgkt_io_${kind} ${KIND} ${lgkt_io_object})
  add_library(lgkt::io_${kind} ALIAS lgkt_io_${kind})
  # both libraries are made from one file, which only one of them may make
  add_dependencies(lgkt_io_${kind} lgkt_io_joined)
  target_link_libraries(lgkt_io_${kind} PUBLIC lgkt_${kind}
    PRIVATE $<BUILD_INTERFACE:PkgConfig::jansson> $<INSTALL_INTERFACE:jansson> m)
  lgkt_set_link_flags(lgkt_io_${kind})
  # installed, it finds liblgkt beside itself
  set_target_properties(lgkt_io_${kind} PROPERTIES
    OUTPUT_NAME lgkt-io EXPORT_NAME io_${kind} LINKER_LANGUAGE C
    # relative in the build, too: the length of the folder of a build would stay in the file
    INSTALL_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON
    VERSION ${PROJECT_VERSION} SOVERSION ${lgkt_soversion})
endforeach()

if(BUILD_SHARED_LIBS)
  add_library(lgkt::io ALIAS lgkt_io_shared)
else()
  add_library(lgkt::io ALIAS lgkt_io_static)
endif()

if(TARGET lgkt_product)
  add_dependencies(lgkt_product lgkt_io_static lgkt_io_shared)
endif()
