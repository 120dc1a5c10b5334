# SPDX-License-Identifier: MIT
# Compiler and linker flags of all our targets; nothing of this reaches those who link the library.

set(lgkt_warnings -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes
  -Wconversion -Wsign-conversion)
if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
  # newlib's int32_t is a long, which is as long as an int, so that %d is right for it
  list(APPEND lgkt_warnings -Wno-format)
endif()
if(LGKT_WERROR)
  list(APPEND lgkt_warnings -Werror)
endif()

set(lgkt_instrument "")
set(lgkt_instrument_link "")
if(LGKT_SANITIZE)
  set(lgkt_instrument_link -fsanitize=${LGKT_SANITIZE})
  set(lgkt_instrument ${lgkt_instrument_link} -fno-sanitize-recover=all -fno-omit-frame-pointer)
elseif(LGKT_COVERAGE)
  set(lgkt_instrument --coverage)
  set(lgkt_instrument_link --coverage)
endif()
if(LGKT_FUZZ)
  list(APPEND lgkt_instrument -fsanitize=fuzzer-no-link)
endif()

# What makes results the same everywhere; it comes after the flags of a project that we are a part
# of. core/arithmetic.h, which every file of ours sees, refuses what is left of other flags.
set(lgkt_exact -fno-fast-math -fno-unsafe-math-optimizations -fno-finite-math-only
  -fno-associative-math -fno-reciprocal-math -fsigned-zeros)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND lgkt_exact -fno-single-precision-constant)
endif()
if(CMAKE_SIZEOF_VOID_P EQUAL 4 AND CMAKE_SYSTEM_PROCESSOR MATCHES "^(i[3-6]86|x86|x86_64|AMD64)$")
  list(APPEND lgkt_exact -msse2 -mfpmath=sse)
endif()
# contraction of a*b+c into one instruction changes results between machines
list(APPEND lgkt_exact -ffp-contract=off -include ${PROJECT_SOURCE_DIR}/src/core/arithmetic.h)

# Linked with these flags, a program or shared library turns numbers below 1e-308 to 0 in all of the
# process. -Ofast is undone by another -O only.
set(lgkt_exact_link -fno-fast-math -fno-unsafe-math-optimizations)
string(TOUPPER "${CMAKE_BUILD_TYPE}" lgkt_config)
if("${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${lgkt_config}}" MATCHES "-Ofast")
  list(APPEND lgkt_exact_link -O2)
endif()

# Merging two small fields into one load (SLP) makes that load wait for both stores: 20% of a step.
# lgkt_whole: what we ship as a program is compiled and linked as one piece. Not so an archive: it
# would drag its users into that, with the same compiler version or not at all.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(lgkt_release $<$<CONFIG:Release>:-fno-tree-slp-vectorize>)
  if(NOT lgkt_instrument AND (CMAKE_CONFIGURATION_TYPES OR CMAKE_BUILD_TYPE STREQUAL "Release"))
    set(lgkt_whole $<$<CONFIG:Release>:-O3;-flto=auto;-fno-tree-slp-vectorize>)
  endif()
endif()

function(lgkt_set_link_flags target)
  target_link_options(${target} PRIVATE ${lgkt_exact_link} ${lgkt_instrument_link})
endfunction()

function(lgkt_set_flags target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE ${lgkt_exact} ${lgkt_warnings} ${lgkt_instrument}
    ${lgkt_release})
endfunction()
