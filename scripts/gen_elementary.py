#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/core/elementary_table.h to standard output.

Everything is computed with 60 decimal digits and rounded once. A number that must multiply or add
without rounding has its low bits zero, and what was cut off stands beside it.

    scripts/gen_elementary.py | clang-format-14 > src/core/elementary_table.h          writes the table anew
    scripts/gen_elementary.py | clang-format-14 | diff - src/core/elementary_table.h   checks it
"""
from decimal import Decimal, getcontext
from fractions import Fraction

getcontext().prec = 60

LOG_CELLS = 128  # cells of 1/128; the mantissa lies in 1/sqrt(2) .. sqrt(2)
LOG_FIRST, LOG_LAST = 90, 182
EXP_CELLS = 128
GRID = 2 ** 42  # high parts of logarithms are multiples of 2^-42
TURN_WORDS = 37  # of 32 bits of 2/pi: what the largest double needs


def hexadecimal(x):
    return float(x).hex()


def split(x, grid):
    """x as a multiple of 1/grid and the rest, each as a double."""
    high = round(x * grid) / Decimal(grid)
    return hexadecimal(high), hexadecimal(x - high)


def log_row(j):
    # twelve bits, so that 32 bits of a mantissa times it is exact; 1 at j = 128
    inverse = Decimal(round(Fraction(LOG_CELLS * 2048, j))) / 2048
    high, low = split(-inverse.ln(), GRID)
    return f"    {{{hexadecimal(inverse)}, {high}, {low}}},"


def exp_row(j):
    power = (Decimal(2).ln() * j / EXP_CELLS).exp() if j else Decimal(1)
    high = float(power)
    return f"{{{hexadecimal(high)}, {hexadecimal(power - Decimal(high))}}}"


def arc_cotangent(x, one):
    """In units of 1/one."""
    total, power, k = 0, one // x, 1
    while power:
        total += power // k if k % 4 == 1 else -(power // k)
        power //= x * x
        k += 2
    return total


def turns():
    """2/pi in words of 32 bits, by Machin's formula, and pi/2 as a double and the rest."""
    bits = 32 * TURN_WORDS + 64
    one = 2 ** bits
    pi = 4 * (4 * arc_cotangent(5, one) - arc_cotangent(239, one))
    quotient = 2 * one * 2 ** (32 * TURN_WORDS) // pi
    words = [quotient >> 32 * i & 0xFFFFFFFF for i in reversed(range(TURN_WORDS))]
    half = Fraction(pi, 2 * one)
    return words, float(half), float(half - Fraction(float(half)))


def main():
    ln2 = Decimal(2).ln()
    print("// SPDX-License-Identifier: MIT")
    print("// The tables of elementary.c; made by scripts/gen_elementary.py, not by hand.")
    print("#pragma once\n")
    high, low = split(ln2, GRID)
    print(f"#define LN2_HIGH {high} // ln 2, a multiple of 2^-42, and the rest\n#define LN2_LOW {low}")
    step = ln2 / EXP_CELLS
    high, low = split(step, 2 ** 42)
    print(f"#define EXP_CELLS {EXP_CELLS}")
    print(f"#define STEP_HIGH {high} // ln 2 / {EXP_CELLS}, with 35 bits, and the rest")
    print(f"#define STEP_LOW {low}")
    print(f"#define PER_STEP {hexadecimal(1 / step)} // {EXP_CELLS} / ln 2\n")
    print(f"#define LOG_CELLS {LOG_CELLS}\n#define LOG_FIRST {LOG_FIRST}\n")
    print("// 1/c for c near j/128 with twelve bits, and log c as a multiple of 2^-42 and the rest")
    print(f"static const double log_table[{LOG_LAST - LOG_FIRST + 1}][3] = {{")
    for j in range(LOG_FIRST, LOG_LAST + 1):
        print(log_row(j))
    print("};\n")
    print(f"// 2^(j/{EXP_CELLS}), rounded, and the rest")
    print(f"static const double exp_table[{EXP_CELLS}][2] = {{")
    for j in range(0, EXP_CELLS, 2):
        print(f"    {exp_row(j)}, {exp_row(j + 1)},")
    print("};\n")
    words, high, low = turns()
    print(f"#define QUARTER_HIGH {high.hex()} // pi/2, rounded, and the rest\n#define QUARTER_LOW {low.hex()}\n")
    print("// 2/pi, 32 bits behind the binary point in each word")
    print(f"static const uint32_t turn_table[{TURN_WORDS}] = {{")
    print("    " + ", ".join(f"0x{word:08x}" for word in words) + ",")
    print("};")


if __name__ == "__main__":
    main()
