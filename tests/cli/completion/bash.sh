# the function of bash, asked as bash asks: words split at "=" and ":", the line and the cursor
command -v bash >/dev/null || exit 0
lgkt completion bash >script.bash
mkdir folder && touch mine.json
cat >ask.bash <<'END'
. ./script.bash
ask() {
    COMP_LINE=$1 COMP_POINT=${2:-${#1}}
    local IFS=$' \t\n'
    COMP_WORDS=(${1//[=:]/ & }) COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=(left from before)
    _lgkt lgkt
    echo "$1| ${COMPREPLY[*]}"
}
complete -p lgkt
ask 'lgkt ru'
ask 'lgkt serve '
ask 'lgkt run --env riverswim:va'
ask 'lgkt run --env riverswim:variant=pr'
ask 'lgkt run --horizon=1 --env=rivers'
ask 'lgkt plan --mdp mi'
ask 'lgkt merge f'
ask 'lgkt ru --env riverswim' 7
ask 'lgkt list no-such'
END
bash ask.bash
