
## opencode: a provider in ~/.config/opencode/opencode.json

undo_opencode()
{
    take_back 'provider|model-gateway' && take_back model || return
    mv "$work/now" "$work/new"
}
