#!/bin/sh
# Puts what `npm run build` made into a folder that needs no npm: the packages with what package-lock.json names for them, and nothing for
# development. Run in the checkout: `deploy/install-built.sh /opt/querent`, then `/opt/querent/packages/cli/bin/querent --help`.
set -eu
target=${1:?name a folder that is not there yet}
[ ! -e "$target" ] || { echo "install-built: $target is there already" >&2; exit 1; }
[ -d dist/packages/cli ] || { echo 'install-built: run npm run build before' >&2; exit 1; }

mkdir -p "$target"
# As the lock file knows them, so that npm takes exactly its versions and checks their sums.
cp package.json package-lock.json "$target"
for manifest in packages/*/package.json; do
  mkdir -p "$target/${manifest%/*}"
  cp "$manifest" "$target/$manifest"
done
npm ci --prefix "$target" --workspace=querent --omit=dev --ignore-scripts --no-audit --no-fund
rm "$target/package.json" "$target/package-lock.json"

# The packages themselves, compiled; the engine with the addon that was built here.
for package in cli client console contract engine server; do
  cp -R "dist/packages/$package/." "$target/packages/$package"
done
cp packages/engine/querent-engine.*.node "$target/packages/engine"
# Sources are not run: neither ours nor SQLite's.
rm -rf "$target"/packages/*/src "$target/packages/engine/index.ts" "$target"/packages/engine/*.sources.node
rm -rf "$target/node_modules/better-sqlite3/deps" "$target/node_modules/better-sqlite3/src"
# Nor are source maps, declarations, and what SQLite is to other platforms: a third of all.
find "$target" -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
find "$target/node_modules/better-sqlite3/prebuilds" -type f ! -name "$(node -p 'process.platform')*-$(node -p 'process.arch').node" -delete
cp deploy/health.mjs LICENSE "$target"
