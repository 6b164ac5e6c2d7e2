#!/usr/bin/env bash
# Checks what stands in deploy/ and Dockerfile, as far as it can be without Docker and Kubernetes; some minutes, most of them for building
# Helm and the other tools from the Go module proxy, which are kept in the user's cache folder. Needs go, systemd-analyze, setpriv and
# unshare, and root for a file system that is read-only. Ends with 1 at the first thing that is wrong. `npm test` has the cheap checks.
set -euo pipefail
cd "$(dirname "$0")/.."
# The Node that this project pins, whatever the machine has.
PATH="$PWD/node_modules/.bin:$PATH"

tools="${XDG_CACHE_HOME:-$HOME/.cache}/querent/check-deploy-1"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
say() { printf '\n== %s\n' "$*"; }

say 'Tools'
if [ ! -e "$tools/complete" ]; then
  mkdir -p "$tools/source"
  cp tools/check-deploy/main.go "$tools/source"
  (
    cd "$tools/source"
    export GOFLAGS=-mod=mod GOBIN="$tools"
    [ -e go.mod ] || go mod init check-deploy
    go get github.com/moby/buildkit@v0.34.2 github.com/compose-spec/compose-go/v2@v2.16.2 \
      k8s.io/client-go@v0.37.0 k8s.io/apimachinery@v0.37.0 sigs.k8s.io/gateway-api@v1.5.0
    go build -o ../check .
    go install helm.sh/helm/v3/cmd/helm@v3.22.0
  )
  touch "$tools/complete"
fi

say 'Dockerfile, by BuildKit'
"$tools/check" dockerfile Dockerfile

say 'Compose files, by Compose'
for file in deploy/compose/*.yaml; do
  SEARCH_HOST=search.example.org LOGIN_HOST=login.example.org QUERENT_KEY=key POSTGRES_PASSWORD=one OPENSEARCH_PASSWORD=two \
    "$tools/check" compose "$file"
done

say 'Helm chart'
# The values that docs/deploy.md shows; and an Ingress, without what may be left out.
sed -n '/^# values.yaml$/,/^```$/p' docs/deploy.md | sed '$d' >"$folder/values.yaml"
plain=(--set baseUrl=https://a.example --set authUrl=https://b.example --set secretName=querent --set 'engine.nodes={https://c.example}' --set metricsPort=9464
  --set ingress.enabled=true --set ingress.tlsSecretName=tls)
"$tools/helm" lint --strict deploy/helm/querent --values "$folder/values.yaml"
"$tools/helm" template search deploy/helm/querent --kube-version 1.34.0 --values "$folder/values.yaml" >"$folder/shown.yaml"
"$tools/helm" template search deploy/helm/querent --kube-version 1.34.0 "${plain[@]}" >"$folder/plain.yaml"
"$tools/check" kubernetes "$folder/shown.yaml"
"$tools/check" kubernetes "$folder/plain.yaml"
if "$tools/helm" template search deploy/helm/querent --kube-version 1.34.0 "${plain[@]}" --set baseUrl=http://a.example >"$folder/log" 2>&1; then
  echo 'the chart takes a baseUrl without TLS' >&2
  exit 1
fi

say 'systemd unit'
systemd-analyze verify deploy/querent.service
systemd-analyze security --offline=yes --threshold=15 deploy/querent.service | tail -n 1
for unit in service timer; do systemd-analyze verify "deploy/querent-backup.$unit"; done

say 'What the image holds, run as in a container: another user, a read-only file system'
npm run build
./deploy/install-built.sh "$folder/querent"
du -sh "$folder/querent" | cut -f1
chmod 755 "$folder"
tools/check-deploy/run-as-container.sh "$folder/querent"
say 'All is well'
