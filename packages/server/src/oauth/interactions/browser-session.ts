/** The session of a browser outside an application's request, by what the library's documentation names. */
import { endSession } from '#storage/sessions'
import type { Deps, Visit } from './visit.ts'

/** Undefined: nobody is signed in. */
export const browserSession = async (
  { provider }: Pick<Deps, 'provider'>,
  { request, response }: Pick<Visit, 'request' | 'response'>,
): Promise<{ accountId: string; uid: string } | undefined> => {
  const { Session } = provider()
  const { accountId, uid } = await Session.get(provider().createContext(request, response))
  return accountId === undefined ? undefined : { accountId, uid }
}

/** Signs out here, as a logout does: what applications got in this session ends with it. */
export const endBrowserSession = async (
  deps: Pick<Deps, 'provider' | 'storage'>,
  visit: Pick<Visit, 'request' | 'response'>,
): Promise<void> => {
  const session = await browserSession(deps, visit)
  if (session) await deps.storage.write(writer => endSession(writer, session.accountId, session.uid))
}
