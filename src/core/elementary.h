// SPDX-License-Identifier: MIT
// Logarithms, exponentials, powers, and the sines of small angles, with the same bits on every
// machine.
#pragma once

double lgkt_log(double x);
double lgkt_log1p(double x);
double lgkt_exp(double x);
double lgkt_exp2(double x);
double lgkt_expm1(double x);
double lgkt_pow(double x, double y); // NaN for x < 0
double lgkt_cbrt(double x);
double lgkt_sin(double x); // NaN beyond pi/4, as is
double lgkt_cos(double x);
