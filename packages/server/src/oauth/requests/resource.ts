/**
 * Maps audience or resource (RFC 8707) to the address that a token opens. Pure.
 * The canonical `aud` is an address without trailing slashes. `{base_url}` is the whole query service;
 * `{base_url}/4/{workspace}` or a valid path below is narrower, whether or not it exists. Only the management
 * API keeps its slash: `{auth_url}/manage/`.
 */
import { audienceCovers, readWorkspaceSlug } from '#authz/audience'
import type { ServiceUrls } from '#http/origins'
import { toContractPath } from '#http/path-versions'

/**
 * Requested audience of a client. `isOwn`: one of the server's own clients, which alone may open the
 * management API and every workspace. `workspace`: slug of any other client's workspace.
 */
export interface AudienceRequest {
  /** The `audience` parameter. */
  audience: string | undefined
  /** One value of the `resource` parameter. */
  resource: string | undefined
  isOwn: boolean
  workspace: string | undefined
}

export type AudienceChoice = { audience: string } | { error: 'invalid_target'; description: string }

/**
 * Returns the audience of the token, or an error. With both parameters the `resource` counts; it must lie
 * within the `audience`. Without either it is `{base_url}`, because many client libraries can't send a
 * parameter of their own when they renew a token.
 */
export const chooseAudience = (
  { audience, resource, isOwn, workspace }: AudienceRequest,
  services: ServiceUrls,
): AudienceChoice => {
  const requested = [resource, audience].filter(value => value !== undefined)
  const addresses = requested.map(address => canonicalAddress(address, isOwn, services))
  const foreign = requested.find((_, index) => addresses[index] === undefined)
  if (foreign !== undefined)
    return {
      error: 'invalid_target',
      description: `${quote(foreign)} is not an address of this service: ${describeResources({ isOwn: isOwn, workspace }, services)}`,
    }
  const [narrow, wide] = addresses
  if (narrow === undefined) return { audience: services.baseUrl }
  if (wide !== undefined && !audienceCovers(wide, narrow))
    return {
      error: 'invalid_target',
      description: `resource is not below audience: leave one out, or ${describeAudiences(isOwn, services)}`,
    }
  const namedWorkspace = readWorkspaceSlug(narrow, services.baseUrl)
  if (!isOwn && namedWorkspace !== undefined && namedWorkspace !== workspace)
    return {
      error: 'invalid_target',
      description: `${quote(narrow)} is in another workspace than this client: send resource=${services.baseUrl}/4/${workspace} or below it, or audience=${services.baseUrl}`,
    }
  return { audience: narrow }
}

const describeAudiences = (isOwn: boolean, { baseUrl, authUrl }: ServiceUrls): string =>
  isOwn ? `send audience=${baseUrl} or audience=${authUrl}/manage/` : `send audience=${baseUrl}`

/** Includes narrower resources. */
const describeResources = (
  { isOwn, workspace }: Pick<AudienceRequest, 'isOwn' | 'workspace'>,
  services: ServiceUrls,
): string =>
  `${describeAudiences(isOwn, services)}, or resource=${services.baseUrl}/4/${workspace ?? '{workspace}'} or below it`

/** Valid paths of the query service: a workspace, and anything below one of its APIs or collections. */
const belowBaseUrl = /^\/4\/[^/]+(?:\/(?:api|collections)(?:\/[^/]+(?:\/.*)?)?)?$/

/** Returns the canonical spelling of an address of ours; undefined for others. */
export const canonicalAddress = (
  text: string,
  isOwn: boolean,
  { baseUrl, authUrl, pathVersions }: ServiceUrls,
): string | undefined => {
  // Shortcut for the most common case.
  if (text === baseUrl || text === `${baseUrl}/`) return baseUrl
  // RFC 8707, section 2: absolute, without fragment. A query never matches our addresses.
  const url = /[?#]/.test(text) ? null : URL.parse(text)
  if (!url || url.username || url.password) return undefined
  const path = canonicalPath(toContractPath(url.pathname, pathVersions))
  if (path === undefined) return undefined
  const address = withoutSlashes(url.origin + path)
  if (address === baseUrl) return baseUrl
  if (audienceCovers(baseUrl, address))
    return belowBaseUrl.test(address.slice(baseUrl.length)) ? address : undefined
  return isOwn && address === `${authUrl}/manage` ? `${authUrl}/manage/` : undefined
}

/** Returns the address below the current base URL, if it is at or below a former one. */
export const toCurrentAddress = (
  address: string,
  { baseUrl, formerBaseUrls }: { baseUrl: string; formerBaseUrls: readonly string[] },
): string => {
  if (audienceCovers(baseUrl, address)) return address
  const former = formerBaseUrls.find(url => address === url || address.startsWith(`${url}/`))
  return former === undefined ? address : baseUrl + address.slice(former.length)
}

/** Removes trailing slashes, whose empty segments mean nothing. */
const withoutSlashes = (address: string): string => {
  let end = address.length
  while (address.endsWith('/', end)) end -= 1
  return address.slice(0, end)
}

/** Encodes each segment only where needed (RFC 3986, section 6.2.2). Undefined if it cannot be decoded. */
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

/** Quotes text for error_description: printable ASCII without quote and backslash (RFC 6749, section 5.2). */
const quote = (text: string): string =>
  `'${text.slice(0, 200).replaceAll(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, '?')}'`
