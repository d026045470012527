# Puts back what the setup script for Model Gateway changed, from ~\.config\model-gateway\backup.
# -DryRun only says what would be put back.
