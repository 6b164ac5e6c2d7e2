#!/usr/bin/env bash
# Makes a Python environment in the user's cache folder, outside the checkout, and prints the path of its interpreter: Authlib (a client
# of the authorization server), readers of the formats of results, schemathesis, Snowball's stemmers, and a generator of clients, and the MCP client. Called by
# the tests that use them. Nothing is done when it is there.
set -euo pipefail

packages='Authlib==1.9.8 requests==2.34.2 cryptography==50.0.2 openpyxl==3.1.5 rdflib==7.6.0 lxml==6.1.3 openapi-spec-validator==0.9.0 schemathesis==4.32.5 snowballstemmer==3.1.1 openapi-python-client==0.29.1 requests-oauthlib==2.0.0 httpx-oauth==0.17.0 mcp==2.3.0 python-dateutil==2.9.0.post0 fastapi-users[oauth]==15.0.5'
folder="${XDG_CACHE_HOME:-$HOME/.cache}/querent/python-$(echo "$packages" | cksum | cut -d' ' -f1)"

mkdir -p "$(dirname "$folder")"
# Test files run side by side: the first makes it, the others wait.
exec 9>"$folder.lock"
if command -v flock >/dev/null; then flock 9; fi
if [ ! -e "$folder/complete" ]; then
  rm -rf "$folder"
  python3 -m venv "$folder" >&2
  # shellcheck disable=SC2086 # several words
  "$folder/bin/pip" install --quiet --disable-pip-version-check $packages >&2
  touch "$folder/complete"
fi
echo "$folder/bin/python"
