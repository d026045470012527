
# Everything is read before anything is done, so a script that was cut on its way does nothing.
foreach ($option in @($Options)) {
    if ($null -eq $option) { continue }
    elseif ($option -eq '-DryRun') { $dryRun = $true }
    elseif ($option -eq '-Uninstall') { $Act = 'Uninstall-ModelGateway' }
    else { throw "unknown option '$option' (-DryRun, -Uninstall)" }
}
& $Act
} <%ps:act%> $args
