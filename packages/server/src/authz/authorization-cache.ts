/**
 * A cache of authorizations. An entry is valid until anything that the decision depends on changes. For a cached caller, only the token is
 * compared, and its expiry checked. Refusals are not cached.
 */
import type { Directory } from '#storage/directory'
import type { AccessToken } from './access-token.ts'
import { audienceCovers } from './audience.ts'
import type { Bearer } from './bearer.ts'

export interface AuthorizationCache<T extends object> {
  /** Finds the entry for this header, connection and resource. Undefined if something may have changed. */
  get(authorization: string | undefined, connection: object, resourcePath: string): T | undefined
  /**
   * `version` is that of the directory before the decision. Tokens for a part of the resource are not cached, because the path matters.
   * `changesAt`: when the decision changes by itself, in milliseconds since 1970.
   */
  set(token: AccessToken, resourcePath: string, version: number, value: T, changesAt: number): void
}

export interface AuthorizationCacheDependencies {
  bearer: Pick<Bearer, 'tokenOfConnection'>
  directory: Pick<Directory, 'isCurrent'>
  /** Without a slash at the end. */
  origin: string
}

export const openAuthorizationCache = <T extends object>({
  bearer,
  directory,
  origin,
}: AuthorizationCacheDependencies): AuthorizationCache<T> => {
  /** The last entry of each token. All entries have the same version, so a new version drops them all. */
  let entries = new WeakMap<AccessToken, { resourcePath: string; value: T; changesAt: number }>()
  let entriesVersion = -1
  return {
    get(authorization, connection, resourcePath) {
      const token = bearer.tokenOfConnection(authorization, connection)
      const entry = token && entries.get(token)
      return entry?.resourcePath === resourcePath &&
        directory.isCurrent(entriesVersion) &&
        (entry.changesAt === Number.POSITIVE_INFINITY || Date.now() < entry.changesAt)
        ? entry.value
        : undefined
    },
    set(token, resourcePath, version, value, changesAt) {
      if (!token.audience.some(audience => audienceCovers(audience, `${origin}${resourcePath}`))) return
      if (!directory.isCurrent(version)) return
      if (version !== entriesVersion) entries = new WeakMap()
      entriesVersion = version
      entries.set(token, { resourcePath, value, changesAt })
    },
  }
}
