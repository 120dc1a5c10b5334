#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes src/core/ziggurat_table.h to standard output.

The ziggurat for f(x) = exp(-x^2/2) with 256 layers of equal area v (see src/core/rng.c). The right
edge r of the base fixes all the others: v = r f(r) + integral of f beyond r, and
f(x_{i+1}) = f(x_i) + v / x_i. r is the number for which f(x_256) = 1. All arithmetic has 40 digits,
so the doubles, written in hexadecimal, are the same on every machine.

    scripts/gen_ziggurat.py > src/core/ziggurat_table.h     writes the table anew
    scripts/gen_ziggurat.py | diff - src/core/ziggurat_table.h    checks it
"""

from decimal import Decimal, getcontext

LAYERS = 256
getcontext().prec = 40


def f(x):
    return (-x * x / 2).exp()


def half_pi():
    # Machin: pi/4 = 4 atan(1/5) - atan(1/239)
    def atan_inverse(n):
        total, power, k = Decimal(0), Decimal(1) / n, 0
        while abs(power) > Decimal(10) ** -45:
            total += power / (2 * k + 1) * (-1 if k % 2 else 1)
            power /= n * n
            k += 1
        return total

    return 2 * (4 * atan_inverse(5) - atan_inverse(239))


def tail_area(x):
    # sqrt(pi/2) - integral_0^x f, the integral as x f(x) (1 + x^2/3 + x^4/15 + ..), all positive
    term, total, k = Decimal(1), Decimal(0), 1
    while term > Decimal(10) ** -45:
        total += term
        term *= x * x / (2 * k + 1)
        k += 1
    return half_pi().sqrt() - x * f(x) * total


def edges(r):
    """x_0 .. x_255, v and the excess f(x_256) - 1 (large if the top is reached too early)."""
    v = r * f(r) + tail_area(r)
    x, y = [v / f(r), r], f(r)
    while len(x) < LAYERS:
        y += v / x[-1]
        if y >= 1:
            return x, v, Decimal(LAYERS - len(x) + 1)
        x.append((-2 * y.ln()).sqrt())
    return x, v, y + v / x[-1] - 1


def solve():
    low, high = Decimal("3.65"), Decimal("3.66")  # the excess falls with r
    for _ in range(110):
        middle = (low + high) / 2
        if edges(middle)[2] > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def rows(cells, per_line):
    lines = [", ".join(cells[i : i + per_line]) for i in range(0, len(cells), per_line)]
    return "".join("    " + line + ",\n" for line in lines)


def main():
    r = solve()
    x, v, _ = edges(r)
    number = lambda value: float(value).hex()
    inner = x[1:] + [Decimal(0)]
    layers = ["{%s, %s}" % (number(a / 2**53), number(b)) for a, b in zip(x, inner)]
    heights = [number(0)] + [number(f(edge)) for edge in x[1:]] + [number(1)]
    print("// SPDX-License-Identifier: MIT")
    print("// The ziggurat of rng.c; made by scripts/gen_ziggurat.py, not by hand.")
    print("// r = %.20f, v = %.20f" % (r, v))
    print("#ifndef LGKT_CORE_ZIGGURAT_TABLE_H\n#define LGKT_CORE_ZIGGURAT_TABLE_H\n")
    print('#include "core/normal.h"\n')
    print("// clang-format off")
    print("#define ZIGGURAT_R %s\n" % number(r))
    print("// {x_i 2^-53, x_{i+1}}")
    print("const lgkt_normal_layer lgkt_normal_layers[%d] = {\n%s};\n" % (LAYERS, rows(layers, 2)))
    print("// f(x_i); entry 0 is the floor of the base, entry 256 the top")
    print("static const double ziggurat_f[%d] = {\n%s};" % (LAYERS + 1, rows(heights, 4)))
    print("// clang-format on\n\n#endif")


if __name__ == "__main__":
    main()
