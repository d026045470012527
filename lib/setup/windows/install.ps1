
$baseUrl = <%ps:base_url%>
$model = <%ps:model%>
$key = <%ps:key%>

function Install-Codex {
    $folder = if ($env:CODEX_HOME) { $env:CODEX_HOME } else { Join-Path $HOME '.codex' }
    $path = Join-Path $folder 'config.toml'
    $lines = @('# >>> model-gateway >>>', <%ps:codex_top%>, '# <<< model-gateway <<<')
    $lines += @(Get-TomlSwitchedOff @(Get-TomlWithoutOurs (Read-Text $path).TrimEnd("`n")))
    $lines += @('# >>> model-gateway >>>', <%ps:codex_provider%>, '# <<< model-gateway <<<', '')
    Save-Change 'codex' $path ($lines -join "`n")
}

function Install-Claude {
    $folder = if ($env:CLAUDE_CONFIG_DIR) { $env:CLAUDE_CONFIG_DIR } else { Join-Path $HOME '.claude' }
    $path = Join-Path $folder 'settings.json'
    try {
        $settings = ConvertFrom-Settings (Read-Text $path)
    } catch {
        throw "$path is not JSON; mend it and run this again"
    }
    if ($null -eq $settings.PSObject.Properties['env']) { Set-Member $settings 'env' (New-Object PSObject) }
    foreach ($name in $claudeNames) {
        $value = ''
        if ($name -eq 'ANTHROPIC_BASE_URL') { $value = $baseUrl }
        elseif ($name -eq 'ANTHROPIC_AUTH_TOKEN') { $value = $key }
        elseif ($name -like '*_MODEL') { $value = $model }
        Set-Member $settings.env $name $value
    }
    Save-Change 'claude' $path (ConvertTo-Json -InputObject $settings -Depth 100)
}

function Test-Key {
    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor 3072 # TLS 1.2
    $status = 0
    try {
        $headers = New-Object 'System.Collections.Generic.Dictionary[string,string]'
        $headers.Add('Authorization', "Bearer $key")
        $reply = Invoke-WebRequest -UseBasicParsing -TimeoutSec 30 -Uri "$baseUrl/api/v1/me" -Headers $headers
        $status = [int] $reply.StatusCode
    } catch {
        if ($null -ne $_.Exception.Response) { $status = [int] $_.Exception.Response.StatusCode }
    }
    if ($status -eq 401) { throw 'the key is not valid any more; copy a fresh script from the dashboard' }
    if ($status -eq 0) { throw "$baseUrl cannot be reached; nothing was changed" }
    if ($status -ne 200) { throw "$baseUrl answered with status $status; nothing was changed" }
    Write-Host ('The key works, for the account ' + <%ps:username%> + " at $baseUrl.")
}

function Install-ModelGateway {
    if (-not $dryRun) { Test-Key }
    Install-Codex
    Install-Claude
    if ($dryRun) { return }
    Write-Text (Join-Path $state 'uninstall.ps1') <%ps:uninstaller%>
    Write-Host ''
    Write-Host "Done: model $model. Next:"
    Write-Host '  Codex:       codex'
    Write-Host '  Claude Code: claude'
    Write-Host 'To put everything back: powershell -ExecutionPolicy Bypass -File ~\.config\model-gateway\uninstall.ps1'
}
