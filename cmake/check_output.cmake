# SPDX-License-Identifier: MIT
# cmake -DCOMMAND="program;argument;.." -DEXPECTED=file -P check_output.cmake
# Runs a command and compares all it prints with a file.
execute_process(COMMAND ${COMMAND} OUTPUT_VARIABLE actual RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${COMMAND} ended with ${code}")
endif()
file(READ ${EXPECTED} expected)
if(NOT actual STREQUAL expected)
  string(RANDOM LENGTH 12 name)
  file(WRITE /tmp/lgkt-${name} "${actual}")
  execute_process(COMMAND diff ${EXPECTED} /tmp/lgkt-${name} OUTPUT_VARIABLE difference)
  file(REMOVE /tmp/lgkt-${name})
  message(NOTICE "${difference}")
  message(FATAL_ERROR "the output is not that of ${EXPECTED}")
endif()
