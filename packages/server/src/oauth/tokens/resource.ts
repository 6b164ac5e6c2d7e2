/**
 * Audience or resource (RFC 8707) → the address that a token opens. Pure.
 *
 * The `aud` of a token is the normal form: an address without slashes at its end. All of the query service is `{base_url}`, a narrower
 * one is `{base_url}/4/{workspace}` or below it, where the grammar of paths has addresses (query-service.md, Paths), whether or not
 * there is something. The management API alone keeps its slash, `{auth_url}/manage/`, as authorization-server.md writes it.
 */
import { audienceCovers } from '#authz/audience'

export interface ServiceUrls {
  /** Without a slash at the end. */
  baseUrl: string
  authUrl: string
}

/**
 * What a client asked for; `own`: it is one of the server's own, which alone may open the management API, and every workspace.
 * `workspace`: that of any other.
 */
export interface AudienceRequest {
  /** The `audience` parameter. */
  audience: string | undefined
  /** One value of the `resource` parameter. */
  resource: string | undefined
  isOwn: boolean
  workspace: string | undefined
}

export type AudienceChoice =
  | { audience: string }
  | { error: 'invalid_request' | 'invalid_target'; description: string }

/**
 * The audience of the token, or why there is none. With both parameters the `resource` counts, which may be narrower than the
 * `audience`, but must lie in the same service.
 */
export const chooseAudience = (
  { audience, resource, isOwn: own, workspace }: AudienceRequest,
  services: ServiceUrls,
): AudienceChoice => {
  const requested = [resource, audience].filter(value => value !== undefined)
  const addresses = requested.map(address => canonicalAddress(address, own, services))
  const foreign = requested.find((_, index) => addresses[index] === undefined)
  if (foreign !== undefined)
    return {
      error: 'invalid_target',
      description: `${quote(foreign)} is no address of this service: ${describeResources({ isOwn: own, workspace }, services)}`,
    }
  const [narrow, wide] = addresses
  if (narrow === undefined)
    return {
      error: 'invalid_request',
      description: `audience is missing: ${describeAudiences(own, services)}`,
    }
  if (wide !== undefined && !audienceCovers(wide, narrow))
    return {
      error: 'invalid_target',
      description: `resource is not below audience: leave one out, or ${describeAudiences(own, services)}`,
    }
  const namedWorkspace = readWorkspace(narrow, services)
  if (!own && namedWorkspace !== undefined && namedWorkspace !== workspace)
    return {
      error: 'invalid_target',
      description: `${quote(narrow)} is in another workspace than this client: send resource=${services.baseUrl}/4/${workspace} or below it, or audience=${services.baseUrl}`,
    }
  return { audience: narrow }
}

/** The workspace that an address of the query service names. */
const readWorkspace = (address: string, { baseUrl }: ServiceUrls): string | undefined =>
  /^\/4\/([^/]+)/.exec(address.slice(baseUrl.length))?.[1]

const describeAudiences = (isOwn: boolean, { baseUrl, authUrl }: ServiceUrls): string =>
  isOwn ? `send audience=${baseUrl} or audience=${authUrl}/manage/` : `send audience=${baseUrl}`

/** With the narrower ones. */
const describeResources = (
  { isOwn: own, workspace }: Pick<AudienceRequest, 'isOwn' | 'workspace'>,
  services: ServiceUrls,
): string =>
  `${describeAudiences(own, services)}, or resource=${services.baseUrl}/4/${workspace ?? '{workspace}'} or below it`

/** Where the query service has addresses: a workspace, and what stands below one of its APIs or collections. */
const belowBaseUrl = /^\/4\/[^/]+(?:\/(?:api|collections)(?:\/[^/]+(?:\/.*)?)?)?$/

/** The one spelling of an address of ours; undefined: one of another service, or none. */
export const canonicalAddress = (
  text: string,
  isOwn: boolean,
  { baseUrl, authUrl }: ServiceUrls,
): string | undefined => {
  // What nearly all ask for, told without taking it apart.
  if (text === baseUrl || text === `${baseUrl}/`) return baseUrl
  // RFC 8707, section 2: absolute, no fragment. A query would never match an address of ours.
  const url = /[?#]/.test(text) ? null : URL.parse(text)
  if (!url || url.username || url.password) return undefined
  const path = canonicalPath(url.pathname)
  if (path === undefined) return undefined
  const address = withoutSlashes(url.origin + path)
  if (address === baseUrl) return baseUrl
  if (audienceCovers(baseUrl, address))
    return belowBaseUrl.test(address.slice(baseUrl.length)) ? address : undefined
  return isOwn && address === `${authUrl}/manage` ? `${authUrl}/manage/` : undefined
}

/** Without any at its end, where an empty segment means nothing. */
const withoutSlashes = (address: string): string => {
  let end = address.length
  while (address.endsWith('/', end)) end -= 1
  return address.slice(0, end)
}

/** Each segment encoded only where it must be (RFC 3986, section 6.2.2); undefined: it cannot be decoded. */
const canonicalPath = (path: string): string | undefined => {
  try {
    return path
      .split('/')
      .map(segment =>
        encodeURIComponent(decodeURIComponent(segment)).replaceAll(
          /%(?:2[46BC]|3[ABD]|40)/g,
          decodeURIComponent,
        ),
      )
      .join('/')
  } catch {
    return undefined
  }
}

/** As an error_description may carry it: printable ASCII without quote and backslash (RFC 6749, section 5.2). */
const quote = (text: string): string =>
  `'${text.slice(0, 200).replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')}'`
