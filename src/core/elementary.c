// SPDX-License-Identifier: MIT
// Logarithms, exponentials and powers.
#include "core/elementary.h"

#include <math.h>

double lgkt_log(double x)
{
    return log(x);
}
double lgkt_log1p(double x)
{
    return log1p(x);
}
double lgkt_exp(double x)
{
    return exp(x);
}
double lgkt_exp2(double x)
{
    return exp2(x);
}
double lgkt_expm1(double x)
{
    return expm1(x);
}
double lgkt_pow(double x, double y)
{
    return pow(x, y);
}
double lgkt_cbrt(double x)
{
    return cbrt(x);
}
