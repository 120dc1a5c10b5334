# SPDX-License-Identifier: MIT
# cmake -DCOMMAND="program;argument;.." -DEXPECTED=file -P check_output.cmake
# Runs a command and compares all it prints with a file.
execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE actual RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${COMMAND} ended with ${code}")
endif()
file(READ ${EXPECTED} expected)
if(NOT actual STREQUAL expected)
  message(FATAL_ERROR "the output differs from ${EXPECTED}:\n${actual}")
endif()
