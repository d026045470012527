
## Claude Code: variables in ~/.claude/settings.json, which go before those of the shell

claude_names='ANTHROPIC_BASE_URL ANTHROPIC_AUTH_TOKEN ANTHROPIC_API_KEY ANTHROPIC_MODEL
ANTHROPIC_DEFAULT_OPUS_MODEL ANTHROPIC_DEFAULT_SONNET_MODEL ANTHROPIC_DEFAULT_HAIKU_MODEL
CLAUDE_CODE_USE_BEDROCK CLAUDE_CODE_USE_VERTEX'

undo_claude()
{
    local name
    for name in $claude_names; do
        take_back "env|$name" || return
    done
    mv "$work/now" "$work/new"
}
