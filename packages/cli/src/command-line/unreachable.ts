/** Advice on a server that cannot be reached, by the error code of Node or OpenSSL. */

const untrusted =
  'this machine does not trust its certificate: set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of its authority, or with the certificate itself if it is self-signed'
const noName = 'the name does not resolve on this machine: check the address and the DNS'
const noRoute = 'this machine has no network path to it: check the address and the firewalls'

const broken = 'it ended the connection before its reply was complete: its log has the reason'

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
  UND_ERR_SOCKET: broken,
  ECONNRESET: broken,
  EPIPE: broken,
}

/**
 * Returns what to do about `reason`, the error code or message of a failed request; undefined if the server may simply not be running.
 */
export const adviseUnreachable = (reason: string): string | undefined => {
  if (Object.hasOwn(advice, reason)) return advice[reason]
  if (reason.startsWith('ERR_SSL_') || reason === 'EPROTO')
    return 'the TLS handshake failed: is https right for this port, and does the proxy speak TLS 1.2 or 1.3?'
  if (reason.startsWith('HPE_')) return 'the reply is not HTTP: does this port need https?'
  if (reason === 'unexpected redirect')
    return 'the address redirects, and commands never send credentials to another address: give the address that it redirects to'
  return undefined
}

/** Statuses that a proxy sends if the server behind it does not answer. */
const gatewayStatuses: ReadonlySet<number> = new Set([502, 503, 504])

/** Advice on an error reply that did not come from Querent. */
export const adviseForeignReply = (status: number): string =>
  gatewayStatuses.has(status)
    ? 'a proxy answers there but cannot reach Querent: start Querent, and check where the proxy forwards requests'
    : 'another program answers there: check the address, and that the proxy forwards all paths to Querent unchanged'
