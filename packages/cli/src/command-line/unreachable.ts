/** Advice on a server that cannot be reached, by the error code of Node or OpenSSL. */

const untrusted =
  'this machine does not trust its certificate: set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of its authority, or with the certificate itself if it is self-signed'
const noName = 'the name does not resolve on this machine: check the address and the DNS'
const noRoute = 'no network path leads there from this machine: check the address and the firewalls'

const advice: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  CERT_UNTRUSTED: untrusted,
  CERT_HAS_EXPIRED: 'its certificate has expired: renew it at the proxy',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet: check the clock of this machine and the certificate',
  CERT_REVOKED: 'its certificate was revoked: replace it at the proxy',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'its certificate is for another name: use the name in the certificate, or issue one for this name at the proxy',
  ENOTFOUND: noName,
  EAI_AGAIN: noName,
  EHOSTUNREACH: noRoute,
  ENETUNREACH: noRoute,
  ETIMEDOUT: noRoute,
  UND_ERR_CONNECT_TIMEOUT: noRoute,
}

/**
 * Returns what to do about `reason`, the error code or message of a failed request; undefined if the server may simply not be running.
 */
export const adviseUnreachable = (reason: string): string | undefined => {
  if (Object.hasOwn(advice, reason)) return advice[reason]
  if (reason.startsWith('ERR_SSL_') || reason === 'EPROTO')
    return 'TLS fails there: is https right for this port, and does the proxy speak TLS 1.2 or 1.3?'
  if (reason.startsWith('HPE_')) return 'no HTTP is spoken there: does this port need https?'
  if (reason === 'unexpected redirect')
    return 'the address redirects, and credentials are never sent on: give the address that it redirects to'
  return undefined
}

/** Statuses of a proxy that gets no answer from the server behind it. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** Advice on an error reply that did not come from Querent. */
export const adviseForeignReply = (status: number): string =>
  gatewayStatuses.has(status)
    ? 'a proxy answers there and does not reach Querent: start Querent, and check where the proxy passes requests on to'
    : 'another program answers there: check the address, and that the proxy passes all paths on to Querent unchanged'
