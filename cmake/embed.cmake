# SPDX-License-Identifier: MIT
# cmake -DIN=FILE -DOUT=FILE.c -DNAME=name -P embed.cmake: writes a C file with the bytes of a file,
# as `name` and `name_size`.
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "#include \"serve/embedded.h\"\nconst unsigned char ${NAME}[] = {\n${bytes}\n};\n"
  "const size_t ${NAME}_size = sizeof ${NAME};\n")
