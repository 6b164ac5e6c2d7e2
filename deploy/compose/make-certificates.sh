#!/usr/bin/env bash
# For nodes.yaml: makes certificates/ beside it, with an authority of its own, certificates of OpenSearch's nodes, of whoever administers it
# (`curl --cert admin.pem --key admin-key.pem`), one for the proxy, and OpenSearch's user `querent`. SEARCH_HOST, LOGIN_HOST and
# OPENSEARCH_PASSWORD come from the environment. Where people come, put a certificate that browsers know in the place of
# certificates/proxy/proxy.pem.
set -euo pipefail
: "${SEARCH_HOST:?the name of the query service}" "${LOGIN_HOST:?the name of the authorization server}" "${OPENSEARCH_PASSWORD:?a password for OpenSearch}"
cd "$(dirname "$0")"
if [ -e certificates ]; then
  echo 'make-certificates: certificates/ is there already: remove it to make others' >&2
  exit 1
fi
# Users of this machine do not come into the folder; containers, whose users differ, read what is in it.
mkdir -m 700 certificates
cd certificates
mkdir opensearch proxy
umask 022

curve=(-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes)
openssl req -x509 "${curve[@]}" -days 3650 -subj '/CN=Querent nodes' -addext 'basicConstraints=critical,CA:TRUE' -keyout ca-key.pem -out ca.pem
chmod 600 ca-key.pem

# name, subject, names
sign() {
  openssl req "${curve[@]}" -subj "$2" -keyout "$1-key.pem" -out "$1.csr"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca-key.pem -CAcreateserial -days 825 -out "$1.pem" \
    -extfile <(printf 'subjectAltName=%s\nextendedKeyUsage=serverAuth,clientAuth\n' "$3")
  rm "$1.csr"
  chmod 644 "$1-key.pem"
}
sign opensearch/node /CN=opensearch DNS:opensearch-1,DNS:opensearch-2,DNS:opensearch-3,DNS:localhost
cp ca.pem opensearch
sign admin /CN=admin DNS:admin
chmod 600 admin-key.pem
sign proxy/proxy "/CN=$SEARCH_HOST" "DNS:$SEARCH_HOST,DNS:$LOGIN_HOST"
cat proxy/proxy-key.pem >>proxy/proxy.pem
rm proxy/proxy-key.pem

cat >opensearch.yml <<'SETTINGS'
network.host: 0.0.0.0
plugins.security.ssl.transport.pemcert_filepath: certificates/node.pem
plugins.security.ssl.transport.pemkey_filepath: certificates/node-key.pem
plugins.security.ssl.transport.pemtrustedcas_filepath: certificates/ca.pem
plugins.security.ssl.transport.enforce_hostname_verification: false
plugins.security.ssl.http.enabled: true
plugins.security.ssl.http.pemcert_filepath: certificates/node.pem
plugins.security.ssl.http.pemkey_filepath: certificates/node-key.pem
plugins.security.ssl.http.pemtrustedcas_filepath: certificates/ca.pem
plugins.security.nodes_dn: [CN=opensearch]
plugins.security.authcz.admin_dn: [CN=admin]
plugins.security.allow_default_init_securityindex: true
SETTINGS
# bcrypt, by OpenSearch's own tool.
hash=$(docker run --rm --env OPENSEARCH_PASSWORD --entrypoint bash opensearchproject/opensearch:3.8.0 \
  plugins/opensearch-security/tools/hash.sh -env OPENSEARCH_PASSWORD | tail -n 1)
cat >internal_users.yml <<USERS
_meta: { type: internalusers, config_version: 2 }
querent: { hash: "$hash", reserved: true }
USERS
# What docs/scale.md says that it needs: its own indexes. It finds an alias among those of all indexes.
cat >roles.yml <<'ROLES'
_meta: { type: roles, config_version: 2 }
querent:
  reserved: true
  cluster_permissions: [cluster_monitor, cluster_composite_ops, "indices:data/read/scroll/clear"]
  index_permissions:
    - { index_patterns: ["querent-*"], allowed_actions: [indices_all] }
    - { index_patterns: ["*"], allowed_actions: ["indices:admin/aliases/get"] }
ROLES
cat >roles_mapping.yml <<'MAPPING'
_meta: { type: rolesmapping, config_version: 2 }
querent: { reserved: true, users: [querent] }
MAPPING
