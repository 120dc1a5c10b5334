// SPDX-License-Identifier: MIT
// lgkt completion: scripts by which bash, zsh and fish ask the command what may stand at the end of a
// line (complete.c). They hand it the words up to the cursor and pass on what it prints; where it
// prints ":files" or ":folders" the shell adds names of its own.

#include <string.h>

#include "cli.h"
#include "core/text.h"

// Words are split anew at blanks, since bash splits them at "=" and ":", too; what it has taken for
// words before the last one is cut from what is offered.
static const char BASH[] =
    "# completion of lgkt in bash; written by `lgkt completion bash`\n"
    "_lgkt() {\n"
    "    local line=${COMP_LINE:0:COMP_POINT} word kept name\n"
    "    local -a words\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:blank:]] ]] && words+=('')\n"
    "    word=${words[-1]}\n"
    "    kept=\n"
    "    [[ $word == *[=:]* ]] && kept=${word%\"${word##*[=:]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r name _; do\n"
    "        case $name in\n"
    "        :files) compopt -o filenames 2>/dev/null\n"
    "            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"${word#\"$kept\"}\") "
    ";;\n"
    "        :folders) compopt -o filenames 2>/dev/null\n"
    "            mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -d -- \"${word#\"$kept\"}\") "
    ";;\n"
    "        *) COMPREPLY+=(\"${name#\"$kept\"}\") ;;\n"
    "        esac\n"
    "    done < <(\"${words[0]/#\\~/$HOME}\" __complete \"${words[@]:1}\" 2>/dev/null)\n"
    "    # behind these more is to come\n"
    "    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=:] ]] && compopt -o nospace "
    "2>/dev/null\n"
    "    return 0\n"
    "}\n"
    "complete -F _lgkt lgkt\n";

static const char ZSH[] =
    "#compdef lgkt\n"
    "# completion of lgkt in zsh; written by `lgkt completion zsh`\n"
    "_lgkt() {\n"
    "    local line name found=1\n"
    "    local -a names shown open open_shown\n"
    "    while IFS= read -r line; do\n"
    "        name=${line%%$'\\t'*}\n"
    "        case $name in\n"
    "        :files) _files && found=0 ;;\n"
    "        :folders) _files -/ && found=0 ;;\n"
    "        *[=:]) open+=(\"$name\"); open_shown+=(\"${line/$'\\t'/  -- }\") ;;\n"
    "        *) names+=(\"$name\"); shown+=(\"${line/$'\\t'/  -- }\") ;;\n"
    "        esac\n"
    "    done < <(\"${~words[1]}\" __complete \"${(@)words[2,CURRENT-1]}\" \"$PREFIX\" "
    "2>/dev/null)\n"
    "    (( $#names )) && compadd -l -d shown -a names && found=0\n"
    "    # behind these more is to come\n"
    "    (( $#open )) && compadd -l -S '' -d open_shown -a open && found=0\n"
    "    return found\n"
    "}\n"
    "if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n"
    "    _lgkt \"$@\"\n"
    "else\n"
    "    compdef _lgkt lgkt\n"
    "fi\n";

static const char FISH[] =
    "# completion of lgkt in fish; written by `lgkt completion fish`\n"
    "function __lgkt_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l word (commandline -ct)\n"
    "    for line in ($words[1] __complete $words[2..-1] \"$word\" 2>/dev/null)\n"
    "        switch $line\n"
    "            case ':files'\n"
    "                __fish_complete_path \"$word\"\n"
    "            case ':folders'\n"
    "                __fish_complete_directories \"$word\"\n"
    "            case '*'\n"
    "                echo $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c lgkt -f -a '(__lgkt_complete)'\n";

static const struct {
    const char *shell, *script;
} SCRIPTS[] = {{"bash", BASH}, {"zsh", ZSH}, {"fish", FISH}};

lgkt_status cmd_completion(cli_settings *s, lgkt_error *error)
{
    char quoted[CLI_QUOTED_SIZE];
    if (s->words.count > 1)
        return lgkt_fail(error, CLI_USAGE, "one shell at a time");
    lgkt_hint hint = {.word = s->words.items[0], .size = 100};
    for (size_t i = 0; i < sizeof SCRIPTS / sizeof SCRIPTS[0]; i++) {
        if (strcmp(SCRIPTS[i].shell, hint.word) == 0) {
            fputs(SCRIPTS[i].script, stdout);
            return LGKT_OK;
        }
        lgkt_hint_add(&hint, SCRIPTS[i].shell);
    }
    return lgkt_fail(error, CLI_USAGE, "unknown shell \"%s\"; %s", cli_quoted(hint.word, quoted),
                     lgkt_hint_text(&hint));
}
