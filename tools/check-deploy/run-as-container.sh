#!/usr/bin/env bash
# Runs what deploy/install-built.sh made as the image does: user 10001, nothing to be written but the volume and /tmp. Its first operator, a
# start, its health, a query for what it serves, SIGTERM. As root: `tools/check-deploy/run-as-container.sh FOLDER`.
set -euo pipefail
program=${1:?the folder that install-built.sh made}
volume=/var/lib/querent-check
if [ "${2:-}" != inside ]; then
  mkdir "$volume"
  trap 'rmdir "$volume"' EXIT
  # What it mounts goes with it.
  unshare --mount --propagation private "$0" "$program" inside
  exit
fi
node=$(node -p process.execPath)
mount --bind / /
mount -t tmpfs -o mode=700,uid=10001,gid=10001 tmpfs "$volume"
mount -o remount,bind,ro /

as_image=(setpriv --reuid=10001 --regid=10001 --clear-groups --no-new-privs --inh-caps=-all --bounding-set=-all env -i
  QUERENT_DATA="$volume/data" XDG_CACHE_HOME="$volume/cache" QUERENT_HOST=0.0.0.0 QUERENT_PORT=14000 QUERENT_AUTH_PORT=14001
  QUERENT_BASE_URL=https://search.example.org QUERENT_AUTH_URL=https://login.example.org NODE_ENV=production)
main="$program/packages/cli/dist/main.js"

cd "$volume"
"${as_image[@]}" "$node" "$main" init --admin you@example.org
if "${as_image[@]}" "$node" "$program/health.mjs"; then echo 'it is healthy before it runs' >&2; exit 1; fi
"${as_image[@]}" "$node" "$main" serve --json >"$volume/said" &
server=$!
for ((tries = 0; tries < 600; tries++)); do
  if grep -q '"ready"' "$volume/said"; then break; fi
  kill -0 "$server"
  sleep 0.1
done
"${as_image[@]}" "$node" "$program/health.mjs"
"${as_image[@]}" QUERENT_ONLY=authorization "$node" "$program/health.mjs"
curl --fail --silent --show-error --output /dev/null http://127.0.0.1:14001/console/
curl --fail --silent --show-error http://127.0.0.1:14000/.well-known/oauth-protected-resource
if "${as_image[@]}" touch "$program/written" 2>/dev/null; then echo 'it can write beside the program' >&2; exit 1; fi
kill -TERM "$server"
wait "$server"
printf '\ninit, serve, health and SIGTERM: as they should be\n'
