#!/bin/sh
# <%comment:title%>: sets up <%comment:what%> for Model Gateway.
# Made <%comment:generated%> for <%comment:username%>, key ending in <%comment:last4%>, model <%comment:model%>.
#
# It writes, with your login's rights alone:
<%text:files%>
# What it changes is kept in ~/.config/model-gateway/backup; it may be run again at any time.
#   --dry-run     only say what would be written
#   --uninstall   put everything back as it was
