/**
 * Sends requests to addresses that somebody else chose, without reaching private networks (server-side request forgery; RFC 9700,
 * section 4.11; draft-ietf-oauth-client-id-metadata-document, section 6). The host is resolved once, every address is checked, and the
 * connection goes to exactly these addresses, so a second answer of the DNS changes nothing. Redirects are never followed.
 */
import { type LookupAddress, lookup as lookupHost } from 'node:dns'
import type { IncomingMessage } from 'node:http'
import { request as sendHttp } from 'node:http'
import { type RequestOptions, request as sendHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { urlToHttpOptions } from 'node:url'
import { promisify } from 'node:util'
import { createAddressMatcher } from '@querent/contract/address-range'

export interface PublicFetchOptions {
  /** Hosts (`host` or `host:port`, as in a URL) that may have private addresses. */
  internalHosts: readonly string[]
  /** Certificate authorities as PEM. Default: those that Node.js trusts. */
  ca?: string
  /** Resolves a host to all its addresses. Default: the resolver of the operating system. */
  resolve?: (host: string) => Promise<LookupAddress[]>
  /** Time for the whole request, from the resolution to the last byte of the reply. */
  timeoutMs?: number
  /** Also allows this machine's own addresses, and http to them. For a server that is itself on this machine only. */
  loopbackToo?: boolean
  /** Also allows http to the internal hosts. */
  httpToInternal?: boolean
}

/** Largest document; that of a client has about 1 KB. */
export const documentBytesMax = 10 * 1024
const defaultTimeoutMs = 5000

/** The request was not sent, or its reply was not accepted. The message is for the log: it says more than a caller may learn. */
export class PublicFetchError extends Error {}

/** IPv4 addresses that are not public (IANA IPv4 Special-Purpose Address Registry), and multicast. */
const specialIpv4 = createAddressMatcher([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
])
/**
 * Global unicast. Everything else is refused: loopback, unique local, link-local, multicast, IPv4-mapped, and NAT64, whose last bits may be a
 * private IPv4 address.
 */
const globalIpv6 = createAddressMatcher(['2000::/3'])
/** IANA IPv6 Special-Purpose Address Registry: Teredo and others, documentation, 6to4, AS112. */
const specialIpv6 = createAddressMatcher([
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])

/** True for an address of the public internet. */
export const isPublicAddress = (address: string): boolean => {
  const version = isIP(address)
  if (version === 4) return !specialIpv4(address)
  return version === 6 && globalIpv6(address) && !specialIpv6(address)
}

const isLoopback = createAddressMatcher(['127.0.0.0/8', '::1/128'])

/** The operating system's resolver, with the addresses in its order. */
const resolveHost = (host: string): Promise<LookupAddress[]> =>
  promisify(lookupHost)(host, { all: true, order: 'verbatim' })

/**
 * Returns a function for GET requests of `https` URLs. Its reply is complete: a redirect is a reply like any other, and a reply of 200 is JSON
 * of at most {@link documentBytesMax}. Rejects with {@link PublicFetchError}.
 */
export const createPublicFetch = (
  options: PublicFetchOptions,
): ((address: string | URL) => Promise<Response>) => {
  const request = createPublicRequest(options)
  return address => request(address, { headers: { accept: 'application/json' } }, '', readReply)
}

/**
 * Returns a function that posts forms to `https` URLs and resolves with the status of the reply, whose body is ignored. Rejects with
 * {@link PublicFetchError}.
 */
export const createPublicPost = (
  options: PublicFetchOptions,
): ((address: string | URL, form: URLSearchParams) => Promise<number>) => {
  const request = createPublicRequest(options)
  return (address, form) => {
    const body = form.toString()
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': Buffer.byteLength(body),
    }
    return request(address, { method: 'POST', headers }, body, async response => {
      response.destroy()
      return response.statusCode ?? 0
    })
  }
}

/** A request of a library, in the form of the Fetch standard. */
export interface ClientRequest {
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
}

/** Sends the requests of an OAuth client library. */
export type ClientFetch = (address: string | URL, request: ClientRequest) => Promise<Response>

/** Largest reply of another server's OAuth endpoints: key sets with certificates, and claims with many groups. */
const clientReplyBytesMax = 512 * 1024

/**
 * Returns a function for the requests of an OAuth client library. Its reply has any status, with a body of at most 512 KiB; redirects are never
 * followed. Rejects with {@link PublicFetchError}.
 */
export const createPublicClientFetch = (options: PublicFetchOptions): ClientFetch => {
  const send = createPublicRequest(options)
  return (address, { method = 'GET', headers = {}, body = '' }) =>
    send(
      address,
      {
        method,
        headers: { ...headers, ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }) },
      },
      body,
      async response => {
        const { statusCode: status = 0 } = response
        const content = await readBody(response, clientReplyBytesMax)
        const replyHeaders = new Headers()
        for (const name of [
          'content-type',
          'cache-control',
          'date',
          'www-authenticate',
          'retry-after',
        ] as const) {
          const value = response.headers[name]
          if (value !== undefined) replyHeaders.set(name, value)
        }
        const mayHaveBody = status !== 204 && status !== 304
        return new Response(mayHaveBody ? content : null, {
          status: status >= 200 && status <= 599 ? status : 502,
          headers: replyHeaders,
        })
      },
    )
}

/** A request of {@link createPublicJsonPost}. */
interface JsonPost {
  /** JSON. */
  body: string
  headers: Readonly<Record<string, string>>
  /** Largest reply. */
  replyBytesMax: number
  /** Time for the whole request. */
  timeLimitMs: number
}

/**
 * Returns a function that posts JSON. It resolves with the status, the header `Retry-After`, and the JSON text of a 200 reply. Rejects with
 * {@link PublicFetchError}.
 */
export const createPublicJsonPost = (
  options: PublicFetchOptions,
): ((
  address: string,
  post: JsonPost,
) => Promise<{ status: number; retryAfter: string | undefined; text: string }>) => {
  const request = createPublicRequest(options)
  return (address, { body, headers: givenHeaders, replyBytesMax, timeLimitMs }) => {
    const headers = {
      ...givenHeaders,
      accept: 'application/json',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    return request(
      address,
      { method: 'POST', headers },
      body,
      async response => {
        const { statusCode: status = 0 } = response
        const retryAfter = response.headers['retry-after']
        if (status !== 200) {
          response.destroy()
          return { status, retryAfter, text: '' }
        }
        requireJson(response)
        return { status, retryAfter, text: (await readBody(response, replyBytesMax)).toString() }
      },
      timeLimitMs,
    )
  }
}

const createPublicRequest = ({
  internalHosts,
  ca,
  resolve = resolveHost,
  timeoutMs = defaultTimeoutMs,
  loopbackToo = false,
  httpToInternal = false,
}: PublicFetchOptions) => {
  const isInternalUrl = (url: URL) => internalHosts.includes(url.host) || internalHosts.includes(url.hostname)
  const isAllowed = (address: string) => isPublicAddress(address) || (loopbackToo && isLoopback(address))
  const resolveChecked = async (url: URL, hostname: string): Promise<LookupAddress[]> => {
    const family = isIP(hostname)
    const addresses = family === 0 ? await resolve(hostname) : [{ address: hostname, family }]
    if (addresses.length === 0) throw new PublicFetchError(`${url.host} has no address`)
    const isInternal = isInternalUrl(url)
    const privateAddress = isInternal ? undefined : addresses.find(({ address }) => !isAllowed(address))
    if (privateAddress)
      throw new PublicFetchError(`${url.host} has the address ${privateAddress.address}, which is not public`)
    const mayBeHttp =
      (httpToInternal && isInternal) || addresses.every(({ address }) => loopbackToo && isLoopback(address))
    if (url.protocol !== 'https:' && !mayBeHttp) throw new PublicFetchError('only https is allowed')
    return addresses
  }

  return async <Reply>(
    address: string | URL,
    options: RequestOptions,
    body: string,
    read: (response: IncomingMessage) => Promise<Reply>,
    timeLimitMs = timeoutMs,
  ): Promise<Reply> => {
    const url = new URL(address)
    const isHttp = url.protocol === 'http:' && (loopbackToo || (httpToInternal && isInternalUrl(url)))
    if (url.protocol !== 'https:' && !isHttp) throw new PublicFetchError('only https is allowed')
    const signal = AbortSignal.timeout(Math.ceil(timeLimitMs))
    // Without the brackets of an IPv6 address.
    const hostname = url.hostname.replace(/^\[|\]$/g, '')
    try {
      const addresses = await withSignal(resolveChecked(url, hostname), signal)
      const response = await send(
        url,
        {
          ...options,
          signal,
          lookup: makeLookup(addresses),
          // A connection of its own: one that is kept open would not be checked again.
          agent: false,
          ...(ca === undefined ? {} : { ca }),
        },
        body,
      )
      return await read(response)
    } catch (cause) {
      if (cause instanceof PublicFetchError) throw cause
      const reason = signal.aborted ? `took longer than ${Math.ceil(timeLimitMs)} ms` : String(cause)
      throw new PublicFetchError(`${url.host}: ${reason}`, { cause })
    }
  }
}

const withSignal = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })

/** Answers with the checked addresses only. The sockets of Node.js don't call it for a literal address. */
const makeLookup =
  (addresses: LookupAddress[]): LookupFunction =>
  (_host, options, done) => {
    const [first] = addresses
    if (options.all) done(null, addresses)
    else done(null, first?.address ?? '', first?.family)
  }

const send = (url: URL, options: RequestOptions, body: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sendRequest = url.protocol === 'https:' ? sendHttps : sendHttp
    sendRequest({ ...urlToHttpOptions(url), ...options })
      .on('response', resolve)
      .on('error', reject)
      .end(body)
  })

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

const readReply = async (response: IncomingMessage): Promise<Response> => {
  const { statusCode: status = 0, headers } = response
  if (status !== 200) {
    response.destroy()
    return new Response(null, { status: status >= 200 && status <= 599 ? status : 502 })
  }
  requireJson(response)
  const replyHeaders = new Headers()
  for (const name of ['content-type', 'cache-control', 'expires'] as const) {
    const value = headers[name]
    if (value !== undefined) replyHeaders.set(name, value)
  }
  return new Response(await readBody(response, documentBytesMax), { status, headers: replyHeaders })
}

const requireJson = (response: IncomingMessage): void => {
  const type = response.headers['content-type']
  if (jsonType.test(type ?? '')) return
  response.destroy()
  throw new PublicFetchError(`the content type is ${type}, not application/json`)
}

const readBody = async (response: IncomingMessage, bytesMax: number): Promise<Buffer<ArrayBuffer>> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    // No encoding is set, so chunks are buffers.
    const buffer = chunk as Buffer
    bytes += buffer.length
    // Leaving the loop destroys the response with its connection.
    if (bytes > bytesMax) throw new PublicFetchError(`the document is longer than ${bytesMax} bytes`)
    chunks.push(buffer)
  }
  return Buffer.concat(chunks)
}
