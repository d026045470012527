& {
param([string] $Act, [object[]] $Options)
$ErrorActionPreference = 'Stop'
$dryRun = $false
$state = Join-Path (Join-Path $HOME '.config') 'model-gateway'
$backup = Join-Path $state 'backup'
$utf8 = New-Object System.Text.UTF8Encoding $false

function Read-Text([string] $Path) {
    if (Test-Path -LiteralPath $Path) { return [IO.File]::ReadAllText($Path) }
    return ''
}

function Write-Text([string] $Path, [string] $Text) {
    $null = New-Item -ItemType Directory -Force -Path (Split-Path -Parent $Path)
    [IO.File]::WriteAllText($Path, $Text, $utf8)
}

# The new text takes the place of the file. Its original is kept once, and what was made of it, to
# tell later whether somebody else has changed it since.
function Save-Change([string] $Name, [string] $Path, [string] $Text) {
    if ($dryRun) { Write-Host "would write $Path"; return }
    $note = Join-Path $backup "$Name.path"
    $original = Join-Path $backup "$Name.original"
    $null = New-Item -ItemType Directory -Force -Path $backup
    if (-not (Test-Path -LiteralPath $note)) {
        if (Test-Path -LiteralPath $Path) {
            Copy-Item -LiteralPath $Path -Destination $original
        } elseif (Test-Path -LiteralPath $original) {
            Remove-Item -LiteralPath $original
        }
        Write-Text $note $Path
    }
    Write-Text $Path $Text
    Write-Text (Join-Path $backup "$Name.ours") $Text
    Write-Host "wrote $Path"
}

# Puts a file back; where others have changed it since, $Undo makes its text without what is ours.
function Restore-Change([string] $Name, [scriptblock] $Undo) {
    $note = Join-Path $backup "$Name.path"
    if (-not (Test-Path -LiteralPath $note)) { return }
    $path = Read-Text $note
    $original = Join-Path $backup "$Name.original"
    $ours = Join-Path $backup "$Name.ours"
    if ($dryRun) { Write-Host "would put back $path"; return }
    if (-not (Test-Path -LiteralPath $path)) {
        Write-Host "$path is gone already"
    } elseif ((Read-Text $path) -ceq (Read-Text $ours)) {
        if (Test-Path -LiteralPath $original) {
            Copy-Item -LiteralPath $original -Destination $path -Force
        } else {
            Remove-Item -LiteralPath $path
        }
        Write-Host "put back $path"
    } else {
        Write-Text $path (& $Undo (Read-Text $path) (Read-Text $original))
        Write-Host "took our part out of $path, which was changed since"
    }
    foreach ($file in @($note, $ours, $original)) {
        if (Test-Path -LiteralPath $file) { Remove-Item -LiteralPath $file }
    }
}

## Codex: a provider of its own in config.toml

# The lines without what this setup added, and with what it had switched off.
function Get-TomlWithoutOurs([string] $Text) {
    $ours = $false
    foreach ($line in ($Text -split "`n")) {
        if ($line -match '^# >>> model-gateway') { $ours = $true }
        if (-not $ours) { $line -replace '^#model-gateway# ', '' }
        if ($line -match '^# <<< model-gateway') { $ours = $false }
    }
}

# Switches off what would contradict it.
function Get-TomlSwitchedOff([string[]] $Lines) {
    $top = $true
    $theirs = $false
    $quoted = $false
    foreach ($line in $Lines) {
        if (-not $quoted -and $line -match '^[ \t]*\[') {
            $top = $false
            $theirs = $line -match '^[ \t]*\[model_providers\."?model-gateway"?[\].]'
        }
        $contradicts = $top -and $line -match '^[ \t]*"?(model|model_provider|profile)"?[ \t]*='
        if (-not $quoted -and ($theirs -or $contradicts)) { '#model-gateway# ' + $line } else { $line }
        if (([regex]::Matches($line, '"""|''''''').Count % 2) -eq 1) { $quoted = -not $quoted }
    }
}

function Undo-Codex([string] $Text, [string] $Original) {
    return (Get-TomlWithoutOurs $Text) -join "`n"
}

## Claude Code: variables in settings.json, which go before those of the system

$claudeNames = @('ANTHROPIC_BASE_URL', 'ANTHROPIC_AUTH_TOKEN', 'ANTHROPIC_API_KEY', 'ANTHROPIC_MODEL',
    'ANTHROPIC_DEFAULT_OPUS_MODEL', 'ANTHROPIC_DEFAULT_SONNET_MODEL', 'ANTHROPIC_DEFAULT_HAIKU_MODEL',
    'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX')

function ConvertFrom-Settings([string] $Text) {
    if ($Text.Trim() -eq '') { return New-Object PSObject }
    return ConvertFrom-Json -InputObject $Text
}

function Set-Member($Object, [string] $Name, $Value) {
    if ($null -ne $Object.PSObject.Properties[$Name]) { $Object.$Name = $Value }
    else { Add-Member -InputObject $Object -MemberType NoteProperty -Name $Name -Value $Value }
}

function Undo-Claude([string] $Text, [string] $Original) {
    $settings = ConvertFrom-Settings $Text
    $before = (ConvertFrom-Settings $Original).env
    foreach ($name in $claudeNames) {
        if ($null -ne $before -and $null -ne $before.PSObject.Properties[$name]) {
            Set-Member $settings.env $name $before.$name
        } elseif ($null -ne $settings.env) {
            $settings.env.PSObject.Properties.Remove($name)
        }
    }
    return ConvertTo-Json -InputObject $settings -Depth 100
}

function Uninstall-ModelGateway {
    Restore-Change 'codex' { param($text, $original) Undo-Codex $text $original }
    Restore-Change 'claude' { param($text, $original) Undo-Claude $text $original }
    if ($dryRun) { return }
    $script = Join-Path $state 'uninstall.ps1'
    if (Test-Path -LiteralPath $script) { Remove-Item -LiteralPath $script }
    Write-Host 'Model Gateway is not set up any more.'
}
