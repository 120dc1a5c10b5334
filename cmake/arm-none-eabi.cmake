# SPDX-License-Identifier: MIT
# Arm microcontrollers without an operating system, by gcc-arm-none-eabi and newlib:
#
#   cmake -S . -B build/arm --toolchain cmake/arm-none-eabi.cmake -DCMAKE_BUILD_TYPE=MinSizeRel \
#       -DLGKT_LEARNERS=auto,lg1t -DLGKT_ENVIRONMENTS=none
#
# LGKT_CPU is the processor, LGKT_CPU_FLAGS what else chooses its instructions, as
# "-mfloat-abi=hard -mfpu=fpv4-sp-d16". Results do not depend on either.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
# a program would need a startup and a memory map, which come with the board
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)

set(LGKT_CPU cortex-m4 CACHE STRING "Processor, as -mcpu takes it")
set(LGKT_CPU_FLAGS "" CACHE STRING "What else chooses its instructions")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES LGKT_CPU LGKT_CPU_FLAGS)
set(CMAKE_C_FLAGS_INIT "-mcpu=${LGKT_CPU} -mthumb ${LGKT_CPU_FLAGS}")
