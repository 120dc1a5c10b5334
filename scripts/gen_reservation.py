#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/learners/auto/reservation_table.h to standard output.

The price x of src/learners/auto/reservation.c at N = 2^(LOW + j/CELLS), linear in N between two powers of
two: the root of x = N E[(X - x)+] for X normal and for X exponential, both of mean 0 and standard
deviation 1. All arithmetic has 40 digits, so the doubles, written in hexadecimal, are the same on
every machine.

    scripts/gen_reservation.py > src/learners/auto/reservation_table.h     writes the table anew
    scripts/gen_reservation.py | diff - src/learners/auto/reservation_table.h    checks it
"""

from decimal import Decimal, getcontext

LOW, HIGH, CELLS = -8, 48, 8
getcontext().prec = 40

PI = Decimal("3.141592653589793238462643383279502884197169")
ROOT = (2 * PI).sqrt()


def density(x):
    return (-x * x / 2).exp() / ROOT


def above(x):
    """P(X > x) of a normal X: one half less x f(x) (1 + x^2/3 + x^4/15 + ..)."""
    term, total, k = Decimal(1), Decimal(0), 1
    while term > Decimal(10) ** -45:
        total += term
        term *= x * x / (2 * k + 1)
        k += 1
    return Decimal(1) / 2 - x * density(x) * total


def normal(x):
    """E[(X - x)+] and minus its derivative."""
    p = above(x)
    return density(x) - x * p, p


def exponential(x):
    value = (-x - 1).exp()
    return value, value


def price(law, n, x):
    # x - n E[(X - x)+] rises with x and is concave, so Newton's method from below does not leave it
    for _ in range(60):
        value, slope = law(x)
        step = (n * value - x) / (1 + n * slope)
        x += step
        if abs(step) < Decimal(10) ** -32:
            break
    return x


def table(name, law):
    x, rows = Decimal(0), []
    for j in range((HIGH - LOW) * CELLS + 1):
        n = Decimal(2) ** (LOW + j // CELLS) * (1 + Decimal(j % CELLS) / CELLS)
        x = price(law, n, x)
        rows.append(float(x).hex())
    print(f"static const double {name}[RESERVATION_ROWS] = {{")
    for i in range(0, len(rows), 4):
        print("    " + " ".join(f"{row}," for row in rows[i : i + 4]))
    print("};")


def main():
    print("// SPDX-License-Identifier: MIT")
    print("// The prices of reservation.c; made by scripts/gen_reservation.py, not by hand.")
    print("#ifndef LGKT_LEARNERS_RESERVATION_TABLE_H")
    print("#define LGKT_LEARNERS_RESERVATION_TABLE_H\n")
    print("// clang-format off")
    print(f"#define RESERVATION_LOW   ({LOW})  // N = 2^LOW in the first row")
    print(f"#define RESERVATION_HIGH  {HIGH}    // and 2^HIGH in the last")
    print(f"#define RESERVATION_CELLS {CELLS}     // rows from a power of two to the next")
    print(f"#define RESERVATION_ROWS  {(HIGH - LOW) * CELLS + 1}\n")
    table("normal_prices", normal)
    print()
    table("exponential_prices", exponential)
    print("// clang-format on\n")
    print("#endif")


main()
