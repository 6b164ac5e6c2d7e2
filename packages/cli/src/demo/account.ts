/** Opens the demo's System-to-System account and gets its first token. */
import { ApiError, clientCredentials, type TokenSource } from '@querent/client'
import { CommandError } from '#command-line/failure'
import type { Connection } from '#connection/connect'
import { dictionary } from './dictionary.ts'
import type { Demo } from './folder.ts'

export interface Account {
  clientId: string
  clientSecret: string
}

/** Returns the account of an earlier start, or creates one. */
export const openDemoAccount = async ({ management }: Connection, demo: Demo): Promise<Account> => {
  const { clientId, clientSecret } = demo
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret }
  const created = await management.call('createSystemToSystem', {
    params: { workspace: dictionary.workspace },
    input: { name: 'demo', roles: ['api'] },
  })
  if (created.clientSecret === undefined)
    throw new CommandError('the server created an account without a Client Secret')
  return { clientId: created.clientId, clientSecret: created.clientSecret }
}

/** Gets a first token as any client does. Returns undefined if the account or its secret no longer exists. */
export const firstToken = async (
  { authUrl, baseUrl }: Connection,
  account: Account,
): Promise<TokenSource | undefined> => {
  const token = clientCredentials({ authUrl, ...account, audience: baseUrl })
  try {
    await token()
    return token
  } catch (error) {
    if (error instanceof ApiError && error.code === 'invalid_client') return undefined
    throw error
  }
}
