
## LibreChat: an endpoint in librechat.yaml and its key in .env, both in LibreChat's own folder

yaml() { YAML_OP=$1 YAML_PATH=${2-} YAML_ITEM=${3-} LC_ALL=C awk <%sh:yaml_awk%> "$work/now"; }

undo_librechat() { yaml strip > "$work/new"; }
undo_librechat_env() { yaml strip > "$work/new"; }
