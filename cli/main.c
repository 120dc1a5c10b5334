// SPDX-License-Identifier: MIT
// The command line from two tables, of the commands and of their options: parsing, checking, and the
// command that is called. Help, man pages and completion come from the same tables (table.h).

#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

#include "cli.h"
#include "core/number.h"
#include "core/text.h"
#include "experiments/runner/store.h"
#include "table.h"

enum { NAME_SIZE = 48 };

// ---- commands ----

// the bits of the commands, in the order of their table
enum { DEMO = 1, RUN = 2, REPRODUCE = 4, MERGE = 8, SLURM = 16 };
enum { PLAN = 32, TRACE = 64, LIST = 128, BENCH = 256, SERVE = 512 };
enum { COMPLETION = 1024, MAN = 2048, ALL = 4095 };

const command cli_commands[] = {
    {"demo", cmd_demo, NULL, "watch learners on a small problem", "[options]",
     "Compares the learner without settings (auto), learners that look one or two steps ahead,\n"
     "and the optimum on random worlds, draws their learning curves and says what they show.\n",
     "  lgkt demo\n"},
    {"run", cmd_run, NULL, "run learners on an environment, many seeds, and write the curves",
     "--env SPEC --learner SPEC [--learner SPEC ...] [options]",
     "Plays each learner once on each of N instances and prints the expected reward per step:\n"
     "its mean with half the width of the 95% interval, its median, and its mean in the worst\n"
     "tenth of the instances. The score of the mean is 0 for uniform actions and 100 for the\n"
     "optimum with full knowledge; the share is the part of the optimum, if that is above 0.\n"
     "Learners meet the same instances and the same noise.\n",
     "  lgkt run --env synthetic --learner lg1t --learner lg2t --learner random\n"
     "  lgkt run --env riverswim:states=8 --learner lg1t --replicates 20 --plot\n"
     "  lgkt run --env synthetic --learner lg2t --regret 2,0.9 --verbose\n"
     "  lgkt run --env synthetic --learner auto --learner ucrl2 --untold\n"},
    {"reproduce", cmd_reproduce, "the name of an experiment is needed; see lgkt reproduce list",
     "experiments by name or from a file, into folders of results",
     "NAME or FILE ... | paper | beyond | arena | practice | all | list [options]",
     "Runs experiments into DIR/NAME/: curves, summaries and paired differences as CSV, and a\n"
     "manifest. A name is that of an experiment that comes with the command, or paper (those\n"
     "of the paper and around it), beyond (learners of our own), arena (all learners on the\n"
     "environments of the literature), practice (many units, late rewards, drift, coarse\n"
     "views) or all of them; a file is an experiment of your own (docs/experiments.md).\n"
     "Finished instances are kept in a journal as they come; the same command goes on where it\n"
     "was interrupted and ends with the same files.\n",
     "  lgkt reproduce list\n"
     "  lgkt reproduce synthetic-10\n"
     "  lgkt reproduce all --quick --out quick\n"
     "  lgkt reproduce mine.json\n"
     "  lgkt reproduce mine.json --dry-run\n"
     "  lgkt reproduce mine.json --shard 3/16\n"},
    {"merge", cmd_merge, "a folder with journals is needed",
     "the results of an experiment from the journals of its parts", "DIR ... [options]",
     "Makes the results of an experiment from the journals of its parts (lgkt reproduce\n"
     "--shard), byte for byte those of one machine. A DIR is a journal, a folder that holds\n"
     "some, or one with such folders. All must be of one experiment: the same file, version,\n"
     "seed and size. What is there twice counts once, and what is missing is named; then\n"
     "nothing is written and the exit code is 1.\n",
     "  lgkt reproduce mine.json --shard 1/2\n"
     "  lgkt reproduce mine.json --shard 2/2\n"
     "  lgkt merge results/mine\n"
     "  lgkt merge from-host-a from-host-b --out results\n"},
    {"slurm", cmd_slurm, "the name of an experiment is needed; see lgkt reproduce list",
     "a script that runs an experiment on a cluster with Slurm",
     "NAME or FILE --hours H --nodes N [options]",
     "Writes a shell script that runs an experiment on a cluster with Slurm. Run with sh, it\n"
     "submits an array job with a task for each shard (lgkt reproduce --shard) and a job that\n"
     "merges them when all are done (lgkt merge). A task that its time limit, a preemption or\n"
     "the failure of a node ends is queued again and goes on from its journal. Nothing is\n"
     "submitted here; the script is there to be read, and edited.\n",
     "  lgkt slurm mine.json --hours 2 --nodes 16 --script mine.slurm.sh\n"
     "  lgkt slurm mine.json --hours 2 --nodes 16 --shards 64 --cpus 8 --partition short\n"},
    {"plan", cmd_plan, NULL,
     "the exact optimum, K-step greedy and K-step thresholding of a known model",
     "(--mdp FILE | --env SPEC) (--horizon T | --average | --discount G) [options]",
     "Computes the optimum, the K-step greedy and the uniform policy of a known model, and "
     "with\n--threshold the K-step thresholding policies and their expected cost. With --average "
     "the\nbest long-run average per step, with --discount the best discounted value, and how "
     "wide\nthe interval is that holds it. With --evaluate what a policy earns instead.\n",
     "  lgkt plan --env riverswim:states=8 --horizon 20000\n"
     "  lgkt plan --env riverswim:states=8 --average --policy best.csv\n"
     "  lgkt plan --mdp model.json --discount 0.99 --json\n"
     "  lgkt plan --mdp model.json --average --evaluate mine.csv\n"
     "  lgkt plan --mdp model.json --horizon 1000 --k 1,2,3 --threshold 0.9 --json\n"},
    {"trace", cmd_trace, NULL, "one learner on a tape of random numbers, action by action",
     "--mdp FILE --tape FILE (--learner SPEC | --resume FILE) [options]",
     "Runs a learner with all random numbers of the model taken from a tape and prints "
     "CSV\nt,state,action,reward,next_state, one row per row of the tape.\n",
     "  lgkt trace --mdp mdp.json --tape tape.csv --learner lg2t --horizon 20000\n"
     "  lgkt trace --mdp mdp.json --tape tape.csv --learner lg2t --save-at 100 state.bin\n"
     "  lgkt trace --mdp mdp.json --tape tape.csv --resume state.bin\n"
     "  lgkt trace --mdp mdp.json --tape tape.csv --learner auto --explain\n"},
    {"list", cmd_list, "", "learners and environments with their parameters",
     "[learners | envs | NAME ...] [options]",
     "Prints the learners and environments that a spec can name, or all about some of "
     "them.\nA spec is a name with settings: lg2t:threshold=0.9,p=0.5\n",
     "  lgkt list\n  lgkt list learners -v\n  lgkt list lg2t riverswim\n  lgkt list --json\n"},
    {"bench", cmd_bench, NULL, "measure how fast learners and environments are", "[options]",
     "Measures the time of a step on one thread: of the environment with uniform actions\n"
     "(learner \"none\"), and of environment and learner together. The ratio is to the\n"
     "environment alone, measured in turn with the learners. This command is built as one\n"
     "piece; `make bench` shows beside it what a program pays that links the library. Of several\n"
     "environments each is played by the learners that it is for; the others have a dash.\n",
     "  lgkt bench\n"
     "  lgkt bench --env synthetic --env contextual --learner lg1t --learner forest\n"
     "  lgkt bench --env riverswim --learner lgkt:k=3 --repeats 50\n"},
    {"serve", cmd_serve, "", "a decision service: HTTP and JSON, nothing lost, all of it proved",
     "--data DIR [options] | token add|list|revoke | verify|export|backup FILE",
     "Serves the programmes of a folder, one file each: decides, takes reports, and answers what\n"
     "is on the disk only (docs/serve.md). Its first start makes an admin token, a plain copy of\n"
     "which is in DIR/token, and prints a line to try. SIGTERM or Ctrl-C stops it when all that\n"
     "was asked is answered.\n"
     "  token add|list|revoke  who may do what; a token is shown once, when it is made\n"
     "  verify FILE            replays a programme and names the first record that differs\n"
     "  export FILE            its decision log, to stdout or --out\n"
     "  backup FILE            a copy that is whole, beside a server or without: --out\n"
     "A programme in PostgreSQL is postgresql://HOST/DATABASE#NAME in place of FILE.\n",
     "  lgkt serve --data /var/lib/lgkt\n"
     "  lgkt serve --data data --listen 127.0.0.1:9000 --host decisions.example.org\n"
     "  lgkt serve --data data --store postgresql://db1,db2/lgkt\n"
     "  lgkt serve token add --data data --name shop --role decide --programme berg\n"
     "  lgkt serve token revoke --data data --name shop\n"
     "  lgkt serve verify data/berg.db --receipts receipts.txt\n"
     "  lgkt serve export data/berg.db --format jsonl --out log.jsonl\n"
     "  lgkt serve backup data/berg.db --out copy.db\n"},
    {"completion", cmd_completion, "a shell is needed: bash, zsh or fish",
     "completion of command lines in a shell", "bash | zsh | fish",
     "Prints what makes a shell complete commands, options, learners, environments, experiments "
     "and\n"
     "files behind lgkt. `make install` puts it where shells look for it; where lgkt was "
     "installed\n"
     "otherwise, one of the lines below does it for a user.\n",
     "  lgkt completion bash >>~/.bashrc\n"
     "  lgkt completion zsh >>~/.zshrc\n"
     "  lgkt completion fish >~/.config/fish/completions/lgkt.fish\n"},
    {"man", cmd_man, "", "these texts as man pages", "[COMMAND] [options]",
     "Prints the man page of lgkt, or of one of its commands, or writes all of them.\n",
     "  lgkt man run | man -l -\n"
     "  lgkt man --out man/man1\n"},
};
enum { COMMAND_COUNT = sizeof cli_commands / sizeof cli_commands[0] };
const int cli_command_count = COMMAND_COUNT;

// ---- options ----

#define TYPE_OF(field_)                                                                            \
    _Generic(((cli_settings *)0)->field_, bool                                                     \
             : FLAG, int64_t                                                                       \
             : INTEGER, double                                                                     \
             : REAL, cli_seed                                                                      \
             : SEED, const char *                                                                  \
             : TEXT, cli_texts                                                                     \
             : TEXTS)
// Behind the help follow, as far as they are needed, fallback, min, max and more.
#define ROW(takers_, name_, letter_, value_, field_, ...)                                          \
    {                                                                                              \
        .takers = takers_, .name = name_, .letter = letter_, .value = value_,                      \
        .offset = offsetof(cli_settings, field_), .type = TYPE_OF(field_), .help = __VA_ARGS__     \
    }

static const option save_file = ROW(TRACE, "save-at", 0, "FILE", save_file, NULL);

// in the order of the help
const option cli_options[] = {
    ROW(PLAN, "mdp", 0, "FILE", mdp, "a model file"),
    ROW(TRACE, "mdp", 0, "FILE", mdp, "a model file with a fixed start state"),
    ROW(RUN, "env", 'e', "SPEC", env, "the environment; see lgkt list"),
    ROW(BENCH, "env", 'e', "SPEC", envs,
        "an environment, in place of the usual ones; may be given several times"),
    ROW(PLAN, "env", 0, "SPEC", env, "an environment with a model, in place of a file"),
    ROW(TRACE, "tape", 0, "FILE", tape, "CSV with header u_next,z_reward,u_reward,u_coin"),
    ROW(RUN, "learner", 'l', "SPEC", learners, "a learner; may be given several times"),
    ROW(BENCH, "learner", 'l', "SPEC", learners,
        "a learner, in place of the usual ones; may be given several times"),
    ROW(TRACE, "learner", 0, "SPEC", learner, "the learner; see lgkt list learners"),
    ROW(RUN | BENCH, "horizon", 't', "T", horizon, "number of steps of each run", "20000", 1,
        (double)EXP_MAX_HORIZON),
    ROW(PLAN, "horizon", 0, "T", horizon, "number of steps", NULL, 1, 1e9),
    ROW(TRACE, "horizon", 0, "T", horizon,
        "number of steps that the learner is told; by default the rows of the tape", NULL, 1, 1e12),
    ROW(PLAN, "average", 0, NULL, average, "the best long-run average per step"),
    ROW(PLAN, "discount", 0, "G", discount, "the best value where step t counts G^t", NULL, 0,
        1 - 0x1p-53),
    ROW(PLAN, "policy", 0, "FILE", policy,
        "write action and value by state, of the first step where there is a horizon, as CSV"),
    ROW(PLAN, "evaluate", 0, "FILE", evaluate,
        "what a policy earns in place of the best one: CSV with columns state, action, "
        "probability"),
    ROW(PLAN, "k", 0, "LIST", k, "depths of lookahead, separated by commas", "1,2,5"),
    ROW(PLAN, "threshold", 0, "G", threshold,
        "also the K-step thresholding policies with this threshold"),
    ROW(SLURM, "hours", 0, "H", hours,
        "time limit of a task; one that needs longer is queued again and goes on", NULL, 0.05,
        8760),
    ROW(SLURM, "nodes", 0, "N", nodes, "how many tasks are to run at a time, each on one node",
        NULL, 1, EXP_MAX_JOURNALS),
    ROW(SLURM, "shards", 0, "N", shards,
        "parts of the experiment, one task each (default: as many as nodes)", NULL, 1,
        EXP_MAX_JOURNALS),
    ROW(SLURM, "cpus", 0, "N", cpus, "processors of a task (default: a whole node with all it has)",
        NULL, 1, EXP_MAX_JOBS),
    ROW(REPRODUCE, "out", 'o', "DIR", out, "where the folders of the experiments are", "results"),
    ROW(MERGE, "out", 'o', "DIR", out, "where the folder of the experiment is written", "results"),
    ROW(SLURM, "out", 'o', "DIR", out,
        "where the folder of the experiment is; all nodes must see it", "results"),
    ROW(SLURM, "script", 0, "FILE", script, "file for the script (default: it is printed)"),
    ROW(MERGE, "experiment", 0, "FILE", experiment,
        "experiment file to use (default: the one that the journals carry)"),
    ROW(RUN, "replicates", 'n', "N", replicates, "number of instances", "100", 1,
        EXP_MAX_REPLICATES),
    ROW(DEMO, "replicates", 'n', "N", replicates, "number of worlds", "1000", 2, 100000),
    ROW(REPRODUCE | SLURM, "replicates", 'n', "N", replicates,
        "number of instances of each panel (default: as the experiment says)", NULL, 1,
        EXP_MAX_REPLICATES),
    ROW(REPRODUCE | SLURM, "quick", 0, NULL, quick, "few instances: everything within minutes"),
    ROW(DEMO | RUN, "seed", 's', "X", seed, "root of all random numbers", "1"),
    ROW(REPRODUCE | SLURM, "seed", 's', "X", seed,
        "root of all random numbers (default: as the experiment says)"),
    ROW(PLAN, "seed", 0, "X", seed, "root seed of a random environment", "0"),
    ROW(TRACE, "seed", 0, "X", seed,
        "root seed of the learner's own stream, for ties and samplers; a resumed one keeps its own",
        "0"),
    ROW(PLAN, "instance", 0, "I", instance, "which instance of a random environment", "0"),
    ROW(BENCH, "repeats", 'r', "R", repeats, "how often to measure; the best one counts", "20", 1,
        10000),
    ROW(BENCH, "quick", 0, NULL, quick, "measure three times only"),
    ROW(DEMO | RUN | REPRODUCE, "jobs", 'j', "J", jobs,
        "number of threads; it changes no result (default: one per processor)", NULL, 1,
        EXP_MAX_JOBS),
    ROW(RUN, "out", 'o', "DIR", out,
        "also write a folder of results, as reproduce does: tables as CSV and a manifest"),
    ROW(RUN, "curve", 0, "FILE", curve,
        "write the learning curves of such a folder, with --regret also the regret so far"),
    ROW(RUN, "regret", 0, "K,G", regret,
        "also the regret of a run to the K-step thresholding policy with threshold G, and to the "
        "optimum"),
    ROW(REPRODUCE, "shard", 0, "I/N", shard,
        "only part I of N, with a journal of its own; lgkt merge makes results of all parts"),
    ROW(MERGE, "prices", 0, "FILE", prices, "price file to use (default: the one that they name)"),
    ROW(REPRODUCE | MERGE | SLURM, "keep-runs", 0, NULL, keep_runs,
        "also write runs.csv with one row per run"),
    ROW(REPRODUCE | SLURM, "prices", 0, "FILE", prices,
        "CSV with a column Close for the trading experiments (default: a random walk)"),
    ROW(REPRODUCE, "dry-run", 0, NULL, dry_run,
        "print how much there is to run and an estimate of what it takes; writes nothing"),
    ROW(SLURM, "partition", 0, "P", partition, "--partition of sbatch"),
    ROW(SLURM, "account", 0, "A", account, "--account of sbatch"),
    ROW(SLURM, "sbatch", 0, "OPTION", sbatch, "any other option of sbatch, as --sbatch=--mem=4G"),
    ROW(TRACE, "save-at", 0, "N", save_at,
        "write the state of the learner after N steps to FILE, and go on", NULL, 0, 1e12,
        &save_file),
    ROW(TRACE, "resume", 0, "FILE", resume,
        "go on with a saved learner, from the row where it was saved, to its own horizon"),
    ROW(RUN, "untold", 0, NULL, untold,
        "do not tell the learners the range and noise of the rewards, and print what they do then"),
    ROW(TRACE, "untold", 0, NULL, untold,
        "do not tell the learner the range and noise of the rewards"),
    ROW(TRACE, "explain", 0, NULL, explain,
        "add what the learner held of each action when it chose: the probability of the action "
        "played, then visits, mean_reward, value, lower, upper, good and probability of action 0, "
        "of action 1, ..; empty where it has no such number"),
    ROW(RUN, "plot", 0, NULL, plot, "draw the learning curves"),
    ROW(LIST, "verbose", 'v', NULL, verbose,
        "all parameters with defaults and ranges, and measured memory"),
    ROW(RUN, "json", 0, NULL, json, "print JSON, with the results of every instance"),
    ROW(PLAN | BENCH | LIST, "json", 0, NULL, json, "print JSON"),
    ROW(REPRODUCE, "json", 0, NULL, json, "that as JSON"),
    ROW(LIST, "markdown", 0, NULL, markdown, "everything as a page of documentation"),
    ROW(RUN, "verbose", 'v', NULL, verbose, "also what the learners counted"),
    ROW(DEMO | RUN | REPRODUCE, "quiet", 'q', NULL, quiet, "no progress line"),
    ROW(SERVE, "data", 0, "DIR", data, "the folder with programmes and tokens"),
    ROW(SERVE, "listen", 0, "ADDRESS", listen, "address and port; port 0 takes any that is free",
        "127.0.0.1:8077"),
    ROW(SERVE, "host", 0, "NAME", hosts,
        "a name that it is asked by, besides localhost and numbers; may be given several times"),
    ROW(SERVE, "connections", 0, "N", connections, "most connections at a time", "1024", 1, 100000),
    ROW(SERVE, "timeout", 0, "S", timeout,
        "seconds for a request to come whole, and between requests", "10", 0.1, 3600),
    ROW(SERVE, "reserve", 0, "BYTES", reserve,
        "with less free on the disk only reads are answered: 256M, 1G or a number", "256M"),
    ROW(SERVE, "store", 0, "URI", store,
        "a database with the programmes, as postgresql://HOST/DATABASE; tokens stay in --data"),
    ROW(SERVE, "name", 0, "NAME", name, "of a token"),
    ROW(SERVE, "role", 0, "ROLE", role,
        "of a token: decide (decisions and reports), read (all but changes), admin",
        .choices = "decide|read|admin"),
    ROW(SERVE, "programme", 0, "NAME", programme, "the only programme that a token is for"),
    ROW(SERVE, "rate", 0, "N", rate, "most requests a second with a token (default: any number)",
        NULL, 0, 1e6),
    ROW(SERVE, "receipts", 0, "FILE", receipts, "verify: answers or receipts to find again"),
    ROW(SERVE, "format", 0, "FORMAT", format, "export: csv or jsonl", "csv",
        .choices = "csv|jsonl"),
    ROW(SERVE, "out", 'o', "FILE", out, "file to write"),
    ROW(SERVE, "json", 0, NULL, json, "print JSON"),
    ROW(MAN, "out", 'o', "DIR", out, "write lgkt.1 and a page for each command into this folder"),
    ROW(ALL, "help", 'h', NULL, help, "print this and stop"),
};
enum { OPTION_COUNT = sizeof cli_options / sizeof cli_options[0] };
const int cli_option_count = OPTION_COUNT;

// ---- values ----

static bool add_text(cli_texts *texts, const char *text)
{
    if (texts->count >= CLI_MAX_TEXTS)
        return false;
    texts->items[texts->count++] = text;
    return true;
}

// Stores a value of an option in the field of its row, or says what it must be.
static lgkt_status set_value(const option *given, const option *row, const char *text,
                             cli_settings *settings, lgkt_error *error)
{
    void *field = (char *)settings + row->offset;
    const char *kind = "a text that is not empty and has no control characters";
    char range[80] = "", quoted[CLI_QUOTED_SIZE];
    double number = 0.0;
    bool good = cli_is_good_text(text);
    if (row->type == INTEGER) {
        kind = "a whole number";
        good = lgkt_integer_parse(text, field);
        number = good ? (double)*(int64_t *)field : 0.0;
    } else if (row->type == REAL) {
        kind = "a number";
        good = lgkt_number_parse(text, field);
        number = *(double *)field;
    } else if (row->type == SEED) {
        kind = "a whole number in 0 .. 2^64-1";
        good = lgkt_seed_parse(text, &((cli_seed *)field)->value);
        ((cli_seed *)field)->text = text;
    } else if (good && row->type == TEXT) {
        *(const char **)field = text;
    } else if (good && !add_text(field, text)) {
        kind = "given at most 256 times";
        good = false;
    }
    if (row->min != 0 || row->max != 0) {
        good = good && number >= row->min && number <= row->max;
        snprintf(range, sizeof range, " in %.15g .. %.15g", row->min, row->max);
    }
    if (good)
        return LGKT_OK;
    const bool several = given->more != NULL;
    return lgkt_fail(error, CLI_USAGE, "--%s%s%s is \"%s\"; it must be %s%s", given->name,
                     several ? ": " : "", several ? row->value : "", cli_quoted(text, quoted), kind,
                     range);
}

// ---- parsing ----

static lgkt_status refuse_option(const command *called, const char *word, lgkt_error *error)
{
    char quoted[CLI_QUOTED_SIZE], name[NAME_SIZE];
    if (word[1] != '-' && word[2] != '\0')
        return lgkt_fail(error, CLI_USAGE,
                         "unknown option %s; a letter stands alone, its value is the next word",
                         cli_quoted(word, quoted));
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    lgkt_hint hint = {.word = name + 2};
    for (int i = 0; i < OPTION_COUNT; i++)
        if (cli_takes(called, &cli_options[i]))
            lgkt_hint_add(&hint, cli_options[i].name);
    const char *near = word[1] == '-' ? hint.nearest : NULL;
    return lgkt_fail(error, CLI_USAGE, "unknown option %s; %s%s%s", name,
                     near != NULL ? "did you mean --" : "see lgkt help ",
                     near != NULL ? near : called->name, near != NULL ? "?" : "");
}

// Fills the settings from the fallbacks, then from argv[1..], with the program in argv[-1]: --name
// value, --name=value, -v, and further values as words of their own; "--" ends the options.
static lgkt_status parse(const command *called, int argc, char **argv, cli_settings *settings,
                         lgkt_error *error)
{
    *settings =
        (cli_settings){.program = argv[-1], .threshold = NAN, .hours = NAN, .discount = NAN};
    for (int i = 0; i < OPTION_COUNT; i++)
        if (cli_takes(called, &cli_options[i]) && cli_options[i].fallback != NULL)
            LGKT_TRY(set_value(&cli_options[i], &cli_options[i], cli_options[i].fallback, settings,
                               error));
    char quoted[CLI_QUOTED_SIZE];
    bool seen[OPTION_COUNT] = {false}, options_over = false;
    for (int next = 1; next < argc;) {
        const char *word = argv[next++];
        if (!options_over && strcmp(word, "--") == 0) {
            options_over = true;
            continue;
        }
        if (options_over || word[0] != '-' || word[1] == '\0') {
            if (called->needs == NULL || !cli_is_good_text(word))
                return lgkt_fail(error, CLI_USAGE, "unexpected argument \"%s\"; see lgkt help %s",
                                 cli_quoted(word, quoted), called->name);
            if (!add_text(&settings->words, word))
                return lgkt_fail(error, CLI_USAGE, "more than %d arguments", CLI_MAX_TEXTS);
            continue;
        }
        // -l, --long or --long=value
        const char *equals = word[1] == '-' ? strchr(word, '=') : NULL;
        const char *value = equals != NULL ? equals + 1 : NULL;
        const size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
        const int found = cli_find_option(called, word, length);
        if (found < 0)
            return refuse_option(called, word, error);
        const option *given = &cli_options[found];
        // of two values one would be thrown away in silence
        if (seen[found] && given->type != TEXTS)
            return lgkt_fail(error, CLI_USAGE, "--%s is given twice", given->name);
        seen[found] = true;
        if (given->type == FLAG && value != NULL)
            return lgkt_fail(error, CLI_USAGE, "--%s takes no value", given->name);
        if (given->type == FLAG) {
            *(bool *)((char *)settings + given->offset) = true;
            continue;
        }
        // the first value may have come with the name
        for (const option *row = given; row != NULL; row = row->more, value = NULL) {
            if (value == NULL && next < argc && strncmp(argv[next], "--", 2) != 0)
                value = argv[next++];
            if (value == NULL)
                return lgkt_fail(error, CLI_USAGE, "--%s needs a value %s", given->name,
                                 row->value);
            LGKT_TRY(set_value(given, row, value, settings, error));
        }
    }
    return called->needs == NULL || called->needs[0] == '\0' || settings->words.count > 0
               ? LGKT_OK
               : lgkt_fail(error, CLI_USAGE, "%s", called->needs);
}

// ---- the program ----

static bool is_one_of(const char *word, const char *a, const char *b, const char *c)
{
    return strcmp(word, a) == 0 || strcmp(word, b) == 0 || strcmp(word, c) == 0;
}

int main(int argc, char **argv)
{
    lgkt_error error = {0};
    // a reader that goes away is a write error like others, and cli_finish tells it from them
    signal(SIGPIPE, SIG_IGN);
    // where stdout was closed, the next file opened would become it
    for (int file = 0; file <= 2; file++)
        if (fcntl(file, F_GETFD) < 0)
            (void)!open("/dev/null", O_RDONLY);
    if (argc > 1 && is_one_of(argv[1], "version", "--version", "-V")) {
        printf("lgkt %s\n", lgkt_version());
        return cli_finish("version", LGKT_OK, &error);
    }
    // asked by what `lgkt completion` prints
    if (argc > 2 && strcmp(argv[1], "__complete") == 0)
        return cli_finish(NULL, cli_complete(argc - 2, argv + 2, &error), &error);
    // lgkt help, lgkt help COMMAND, lgkt COMMAND --help
    bool help = argc > 1 && is_one_of(argv[1], "help", "--help", "-h");
    if (argc < 2 + help) {
        cli_overview_print(help ? stdout : stderr);
        return cli_finish("help", help ? LGKT_OK : CLI_USAGE, &error);
    }
    const char *name = argv[help ? 2 : 1];
    const command *called = cli_find_command(name);
    if (called == NULL) {
        if (is_one_of(name, "plot", "plot", "report"))
            lgkt_fail(
                &error, CLI_USAGE,
                "%s: figures and reports are made in Python: python3 -m lgkt.report DIR, in a "
                "clone make report",
                name);
        else if (strcmp(name, "log") == 0)
            lgkt_fail(&error, CLI_USAGE,
                      "log: logs are read in Python: python3 -m lgkt log --help");
        else
            cli_refuse_command(name, &error);
        return cli_finish(NULL, CLI_USAGE, &error);
    }
    for (int i = 2; i < argc && strcmp(argv[i], "--") != 0; i++)
        help = help || is_one_of(argv[i], "--help", "--help", "-h");
    if (help) {
        cli_help_print(called);
        return cli_finish(name, LGKT_OK, &error);
    }
    cli_settings settings;
    lgkt_status status = parse(called, argc - 1, argv + 1, &settings, &error);
    if (status == LGKT_OK)
        status = called->run(&settings, &error);
    return cli_finish(name, status, &error);
}
