#!/bin/sh
# Puts back what the setup script for Model Gateway changed, from ~/.config/model-gateway/backup.
#   --dry-run     only say what would be put back
