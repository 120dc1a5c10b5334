# SPDX-License-Identifier: MIT
# Functions for the scripts of tests/cli.

# Runs a command that must be refused: prints its exit code and its error output, which must be one
# line; output on stdout is shown as a fault.
refused() {
    lgkt "$@" >out.txt 2>err.txt
    echo "exit $?: $(cat err.txt)"
    [ "$(wc -l <err.txt)" -eq 1 ] || echo "  NOT ONE LINE"
    [ ! -s out.txt ] || echo "  OUTPUT ON STDOUT"
}

# The model of two states of which everything is known by hand: Q_3 = [[3, 3.5], [2, 4.75]].
two_states() {
    cat >two.json <<'END'
{"states": 2, "actions": 2, "start": 0, "noise": {"kind": "none"}, "rewards": [[1, 0], [0, 2]],
 "transitions": [[[1, 0], [0, 1]], [[1, 0], [0.5, 0.5]]]}
END
}

# model NAME KEY TEXT: the file NAME, good but for one key with its value.
model() {
    states='"states": 2, "actions": 1' start='"start": 0' noise='"noise": {"kind": "none"}'
    rewards='"rewards": [[0], [1]]' rows='"transitions": [[[1, 0]], [[0, 1]]]'
    eval "$2=\$3"
    printf '{%s,\n %s,\n %s,\n %s,\n %s}\n' "$states" "$start" "$noise" "$rewards" "$rows" >"$1"
}

# tape TEXT: the file tape.csv with these rows (printf escapes).
tape() {
    printf "u_next,z_reward,u_reward,u_coin\n$1" >tape.csv
}

# long_tape ROWS: the file tape.csv with so many rows of numbers that look random, the same ones
# every time.
long_tape() {
    awk -v rows="$1" 'function u() {x = (x * 16807) % 2147483647; return x / 2147483647}
        BEGIN {x = 7; OFS = ","; OFMT = "%.15g"; print "u_next,z_reward,u_reward,u_coin"
            for (i = 0; i < rows; i++) print u(), 3 * u() - 1.5, u(), u()}' >tape.csv
}

# A model of four states and three actions with noisy rewards.
four_states() {
    cat >four.json <<'END'
{"states": 4, "actions": 3, "start": 2, "noise": {"kind": "normal", "sd": 0.5},
 "rewards": [[0.1, 0.9, 0.3], [0.5, 0.2, 0.7], [1.5, 0, 0.4], [0.2, 0.3, 0.25]],
 "transitions": [[[0.5, 0.5, 0, 0], [0, 0, 1, 0], [0.25, 0.25, 0.25, 0.25]],
                 [[0, 0, 0, 1], [1, 0, 0, 0], [0.1, 0.2, 0.3, 0.4]],
                 [[0.7, 0.1, 0.1, 0.1], [0, 1, 0, 0], [0, 0, 0.5, 0.5]],
                 [[0, 0, 0.9, 0.1], [0.4, 0.3, 0.2, 0.1], [1, 0, 0, 0]]]}
END
}

# The names of all learners whose states may be numbered; the others are on records alone.
learners_on_states() {
    lgkt list learners -v | awk '/^[a-z]/ {name = $1} /^  traits: .*states/ {print name}'
}
