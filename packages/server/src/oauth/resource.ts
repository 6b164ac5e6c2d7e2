/**
 * Audience or resource (RFC 8707) → the address that a token opens. Pure.
 *
 * The `aud` of a token is the normal form: an address without slashes at its end. All of the query service is `{base_url}`, a narrower
 * one is `{base_url}/4/{workspace}` or below it, where the grammar of paths has addresses (query-service.md, Paths), whether or not
 * there is something. The management API alone keeps its slash, `{auth_url}/manage/`, as authorization-server.md writes it.
 */
import { covers } from '#http/address'

export interface Services {
  /** Without a slash at the end. */
  baseUrl: string
  authUrl: string
}

/**
 * What a client asked for; `own`: it is one of the server's own, which alone may open the management API, and every workspace.
 * `workspace`: that of any other.
 */
export interface Request {
  /** The `audience` parameter. */
  audience: string | undefined
  /** One value of the `resource` parameter. */
  resource: string | undefined
  own: boolean
  workspace: string | undefined
}

export type Choice =
  | { audience: string }
  | { error: 'invalid_request' | 'invalid_target'; description: string }

/**
 * The audience of the token, or why there is none. With both parameters the `resource` counts, which may be narrower than the
 * `audience`, but must lie in the same service.
 */
export const chooseAudience = (
  { audience, resource, own, workspace }: Request,
  services: Services,
): Choice => {
  const asked = [resource, audience].filter(value => value !== undefined)
  const found = asked.map(address => normalise(address, own, services))
  const foreign = asked.find((_, place) => found[place] === undefined)
  if (foreign !== undefined)
    return {
      error: 'invalid_target',
      description: `${quote(foreign)} is no address of this service: ${allOf({ own, workspace }, services)}`,
    }
  const [narrow, wide] = found
  if (narrow === undefined)
    return { error: 'invalid_request', description: `audience is missing: ${rightOnes(own, services)}` }
  if (wide !== undefined && !covers(wide, narrow))
    return {
      error: 'invalid_target',
      description: `resource is not below audience: leave one out, or ${rightOnes(own, services)}`,
    }
  const named = workspaceIn(narrow, services)
  if (!own && named !== undefined && named !== workspace)
    return {
      error: 'invalid_target',
      description: `${quote(narrow)} is in another workspace than this client: send resource=${services.baseUrl}/4/${workspace} or below it, or audience=${services.baseUrl}`,
    }
  return { audience: narrow }
}

/** The workspace that an address of the query service names. */
const workspaceIn = (address: string, { baseUrl }: Services): string | undefined =>
  /^\/4\/([^/]+)/.exec(address.slice(baseUrl.length))?.[1]

const rightOnes = (own: boolean, { baseUrl, authUrl }: Services): string =>
  own ? `send audience=${baseUrl} or audience=${authUrl}/manage/` : `send audience=${baseUrl}`

/** With the narrower ones. */
const allOf = ({ own, workspace }: Pick<Request, 'own' | 'workspace'>, services: Services): string =>
  `${rightOnes(own, services)}, or resource=${services.baseUrl}/4/${workspace ?? '{workspace}'} or below it`

/** Where the query service has addresses: a workspace, and what stands below one of its APIs or collections. */
const belowBaseUrl = /^\/4\/[^/]+(?:\/(?:api|collections)(?:\/[^/]+(?:\/.*)?)?)?$/

/** The one spelling of an address of ours; undefined: one of another service, or none. */
export const normalise = (text: string, own: boolean, { baseUrl, authUrl }: Services): string | undefined => {
  // What nearly all ask for, told without taking it apart.
  if (text === baseUrl || text === `${baseUrl}/`) return baseUrl
  // RFC 8707, section 2: absolute, no fragment. A query would never match an address of ours.
  const url = /[?#]/.test(text) ? null : URL.parse(text)
  if (!url || url.username || url.password) return undefined
  const path = inOneSpelling(url.pathname)
  if (path === undefined) return undefined
  const address = withoutSlashes(url.origin + path)
  if (address === baseUrl) return baseUrl
  if (covers(baseUrl, address)) return belowBaseUrl.test(address.slice(baseUrl.length)) ? address : undefined
  return own && address === `${authUrl}/manage` ? `${authUrl}/manage/` : undefined
}

/** Without any at its end, where an empty segment means nothing. */
const withoutSlashes = (address: string): string => {
  let end = address.length
  while (address.endsWith('/', end)) end -= 1
  return address.slice(0, end)
}

/** Each segment encoded only where it must be (RFC 3986, section 6.2.2); undefined: it cannot be decoded. */
const inOneSpelling = (path: string): string | undefined => {
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
