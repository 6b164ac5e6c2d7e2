#!/usr/bin/env bash
# Makes sure that the programs are there which tests start: says which are missing and, as root on Debian, installs them.
# Run by `npm test`. It installs nothing else, and leaves no service running.
set -euo pipefail

# One line for each program: package, then a command that succeeds when it is there.
needed() {
  cat <<'LINES'
postgresql-15 compgen -G '/usr/lib/postgresql/*/bin/postgres' || command -v postgres
chromium-headless-shell command -v chromium-headless-shell || command -v chromium
curl command -v curl
openssl command -v openssl
nginx command -v nginx
haproxy command -v haproxy
caddy command -v caddy
jq command -v jq
util-linux command -v prlimit && command -v flock
python3-venv python3 -c 'import venv, ensurepip'
maven command -v mvn
default-jdk-headless command -v javac
golang-go command -v go
LINES
}


# Where servers are, for root alone.
PATH="$PATH:/usr/sbin:/sbin"

missing=()
while read -r package present; do
  if eval "$present" >/dev/null 2>&1; then
    echo "prepare-tests: $package is there"
  else
    missing+=("$package")
  fi
done < <(needed)
[ ${#missing[@]} -gt 0 ] || exit 0

install="apt-get install --yes --no-install-recommends ${missing[*]}"
if ! command -v apt-get >/dev/null; then
  echo "prepare-tests: tests need these Debian packages, or the same programs from elsewhere: ${missing[*]}" >&2
  exit 1
fi
if [ "$(id -u)" -ne 0 ]; then
  echo "prepare-tests: tests need ${missing[*]}; run this and try again: sudo apt-get update && sudo $install" >&2
  exit 1
fi

echo "prepare-tests: installing ${missing[*]} (apt-get update, then $install)"
clusters_before=$(compgen -G '/etc/postgresql/*/*' || true)
apt-get update --quiet
# The packages of servers would start them, now and with the machine; tests start their own.
if [ ! -e /usr/sbin/policy-rc.d ]; then
  trap 'rm -f /usr/sbin/policy-rc.d' EXIT
  printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
  chmod +x /usr/sbin/policy-rc.d
fi
DEBIAN_FRONTEND=noninteractive $install
for server in nginx haproxy caddy; do
  if [[ " ${missing[*]} " == *" $server "* ]] && command -v systemctl >/dev/null; then
    systemctl disable --quiet "$server"
  fi
done
# The package makes a cluster of its own and may start it; tests use temporary ones. One that was there before stays.
if [ -z "$clusters_before" ] && [ -d /etc/postgresql/15/main ]; then
  echo 'prepare-tests: removing the empty cluster that the package made'
  pg_dropcluster --stop 15 main
fi
