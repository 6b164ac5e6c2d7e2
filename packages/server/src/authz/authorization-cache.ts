/**
 * Who was let through, kept for as long as nothing has changed that was looked at then: a client that asks again goes through no check
 * but that its token is the same, and within its time. Refusals are not kept.
 */
import type { Directory } from '#storage/directory'
import type { AccessToken } from './access-token.ts'
import { audienceCovers } from './audience.ts'
import type { Bearer } from './bearer.ts'

export interface AuthorizationCache<T extends object> {
  /** What was kept for this header on this connection, for the same resource; undefined where something may have changed. */
  get(authorization: string | undefined, connection: object, resourcePath: string): T | undefined
  /** `mark` is of the directory, from before anything was looked at. Tokens for a part of the resource are not kept: they differ by path. */
  set(token: AccessToken, resourcePath: string, version: number, value: T): void
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
  /** Of each token the last one. All are of one mark: once that holds no more, none of them is good again, and none is to stay alive. */
  let entries = new WeakMap<AccessToken, { resourcePath: string; value: T }>()
  let entriesVersion = -1
  return {
    get(authorization, connection, resourcePath) {
      const token = bearer.tokenOfConnection(authorization, connection)
      const entry = token && entries.get(token)
      return entry?.resourcePath === resourcePath && directory.isCurrent(entriesVersion)
        ? entry.value
        : undefined
    },
    set(token, resourcePath, version, value) {
      if (!token.audience.some(audience => audienceCovers(audience, `${origin}${resourcePath}`))) return
      if (!directory.isCurrent(version)) return
      if (version !== entriesVersion) entries = new WeakMap()
      entriesVersion = version
      entries.set(token, { resourcePath, value })
    },
  }
}
