// SPDX-License-Identifier: MIT
// Logarithms, exponentials, powers, sines and cosines, with the same bits on every machine.
#pragma once

double lgkt_log(double x);
double lgkt_log1p(double x);
double lgkt_exp(double x);
double lgkt_exp2(double x);
double lgkt_expm1(double x);
double lgkt_pow(double x, double y); // NaN for x < 0
double lgkt_cbrt(double x);
double lgkt_sin(double x); // of any angle, in radians
double lgkt_cos(double x);
