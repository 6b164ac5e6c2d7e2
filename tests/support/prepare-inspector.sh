#!/usr/bin/env bash
# Installs the MCP Inspector in the user's cache folder, outside the checkout, and prints the path of its program. Its 120 packages are no
# dependencies of ours. Nothing is done when it is there.
set -euo pipefail

package='@modelcontextprotocol/inspector@2.12.0'
folder="${XDG_CACHE_HOME:-$HOME/.cache}/querent/inspector-2.12.0"

mkdir -p "$(dirname "$folder")"
# Test files run side by side: the first makes it, the others wait.
exec 9>"$folder.lock"
if command -v flock >/dev/null; then flock 9; fi
if [ ! -e "$folder/complete" ]; then
  rm -rf "$folder"
  mkdir "$folder"
  npm install --prefix "$folder" --no-audit --no-fund --ignore-scripts --loglevel=error "$package" >&2
  touch "$folder/complete"
fi
echo "$folder/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"
