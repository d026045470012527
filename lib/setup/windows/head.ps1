# <%comment:title%>: sets up <%comment:what%> for Model Gateway.
# Made <%comment:generated%> for <%comment:username%>, key ending in <%comment:last4%>, model <%comment:model%>.
#
# It writes, with your login's rights alone:
#   ~\.codex\config.toml       model, provider and key for Codex
#   ~\.claude\settings.json    address, key and models for Claude Code
# What it changes is kept in ~\.config\model-gateway\backup; it may be run again at any time.
# Saved as a file it takes -DryRun (only say what would be written) and -Uninstall (put everything
# back as it was). Windows PowerShell 5.1 and PowerShell 7.
