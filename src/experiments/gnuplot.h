// SPDX-License-Identifier: MIT
// Running gnuplot on a script.
#ifndef EXPERIMENTS_GNUPLOT_H
#define EXPERIMENTS_GNUPLOT_H

#include <stdio.h>

#include "lgkt/base.h"

// Runs the script from its beginning, without the user's settings. LGKT_ERR_UNSUPPORTED if there is
// no gnuplot on the PATH; LGKT_ERR_NO_CONVERGENCE with its first words if it fails. Nullable:
// error.
lgkt_status exp_gnuplot_run(FILE *script, lgkt_error *error);

// Text in single quotes.
void exp_gnuplot_quote(FILE *script, const char *text);

#endif
