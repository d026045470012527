
## Continue, the extension for VS Code and its relatives: a model in ~/.continue/config.yaml

yaml() { YAML_OP=$1 YAML_PATH=${2-} YAML_ITEM=${3-} LC_ALL=C awk <%sh:yaml_awk%> "$work/now"; }

undo_continue() { yaml strip > "$work/new"; }
