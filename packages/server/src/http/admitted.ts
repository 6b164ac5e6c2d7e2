/**
 * Who was let through, kept for as long as nothing has changed that was looked at then: a client that asks again goes through no check
 * but that its token is the same, and within its time. Refusals are not kept.
 */
import type { Directory } from '#storage/directory'
import type { AccessToken } from './access-token.ts'
import { covers } from './address.ts'
import type { Bearer } from './bearer.ts'

export interface Admitted<T extends object> {
  /** What was kept for this header on this connection, for the same resource; undefined where something may have changed. */
  again(authorization: string | undefined, connection: object, resourcePath: string): T | undefined
  /** `mark` is of the directory, from before anything was looked at. Tokens for a part of the resource are not kept: they differ by path. */
  keep(token: AccessToken, resourcePath: string, mark: number, value: T): void
}

export interface AdmittedDependencies {
  bearer: Pick<Bearer, 'again'>
  directory: Pick<Directory, 'holds'>
  /** Without a slash at the end. */
  origin: string
}

export const openAdmitted = <T extends object>({
  bearer,
  directory,
  origin,
}: AdmittedDependencies): Admitted<T> => {
  /** Of each token the last one. All are of one mark: once that holds no more, none of them is good again, and none is to stay alive. */
  let kept = new WeakMap<AccessToken, { resourcePath: string; value: T }>()
  let since = -1
  return {
    again(authorization, connection, resourcePath) {
      const token = bearer.again(authorization, connection)
      const last = token && kept.get(token)
      return last?.resourcePath === resourcePath && directory.holds(since) ? last.value : undefined
    },
    keep(token, resourcePath, mark, value) {
      if (!token.audience.some(audience => covers(audience, `${origin}${resourcePath}`))) return
      if (!directory.holds(mark)) return
      if (mark !== since) kept = new WeakMap()
      since = mark
      kept.set(token, { resourcePath, value })
    },
  }
}
