
setup_librechat_env()
{
    begin librechat_env "$librechat/.env"
    {
        yaml strip
        printf '%s\n' '# >>> model-gateway >>>' 'MODEL_GATEWAY_API_KEY='<%sh:key%> '# <<< model-gateway <<<'
    } > "$work/new"
    finish librechat_env "$librechat/.env"
}
