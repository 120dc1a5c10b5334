# SPDX-License-Identifier: MIT
# Compiler and linker flags of all our targets; nothing of this reaches those who link the library.

set(lgkt_warnings -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wstrict-prototypes -Wmissing-prototypes)
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

# Merging two small fields into one load (SLP) makes that load wait for both stores: 20% of a step.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  set(lgkt_release $<$<CONFIG:Release>:-fno-tree-slp-vectorize>)
  set(lgkt_whole $<$<CONFIG:Release>:-O3;-flto=auto;-fno-tree-slp-vectorize>)
endif()

function(lgkt_set_link_flags target)
  target_link_options(${target} PRIVATE ${lgkt_instrument_link})
endfunction()

# Compiles and links a program as one piece. Only for what we ship as a program: an archive with
# such objects would drag its users into it, with the same compiler version or not at all.
function(lgkt_build_as_a_whole target)
  if(NOT lgkt_instrument)
    target_compile_options(${target} PRIVATE ${lgkt_whole})
    target_link_options(${target} PRIVATE ${lgkt_whole})
  endif()
endfunction()

function(lgkt_set_flags target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  # contraction of a*b+c into one instruction changes results between machines
  target_compile_options(${target} PRIVATE -ffp-contract=off ${lgkt_warnings} ${lgkt_instrument}
    ${lgkt_release})
endfunction()
