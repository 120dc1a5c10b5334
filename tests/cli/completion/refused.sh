. "$COMMON"
refused completion
refused completion fisch
refused completion tcsh
refused completion bash zsh
refused completion bash --shell
