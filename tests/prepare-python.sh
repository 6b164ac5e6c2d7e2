#!/usr/bin/env bash
# Makes a Python environment with Authlib in the user's cache folder, outside the checkout, and prints the path of its interpreter.
# Called by the tests that drive Authlib. Nothing is done when it is there.
set -euo pipefail

packages='Authlib==1.9.8 requests==2.34.2 cryptography==50.0.2'
folder="${XDG_CACHE_HOME:-$HOME/.cache}/querent/python-$(echo "$packages" | cksum | cut -d' ' -f1)"

if [ ! -e "$folder/complete" ]; then
  rm -rf "$folder"
  mkdir -p "$(dirname "$folder")"
  python3 -m venv "$folder" >&2
  # shellcheck disable=SC2086 # several words
  "$folder/bin/pip" install --quiet --disable-pip-version-check $packages >&2
  touch "$folder/complete"
fi
echo "$folder/bin/python"
