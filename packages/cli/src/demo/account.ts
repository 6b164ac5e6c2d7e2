/** The demo's System-to-System account, and its first token. */
import { ApiError, clientCredentials, type TokenSource } from '@querent/client'
import { CommandError } from '#command-line/failure'
import type { Connection } from '#connection/connect'
import { dictionary } from './dictionary.ts'
import type { Demo } from './folder.ts'

export interface Account {
  clientId: string
  clientSecret: string
}

/** The account of an earlier start, or a new one. */
export const demoAccount = async ({ management }: Connection, demo: Demo): Promise<Account> => {
  const { clientId, clientSecret } = demo
  if (clientId !== undefined && clientSecret !== undefined) return { clientId, clientSecret }
  const made = await management.call('createSystemToSystem', {
    params: { workspace: dictionary.workspace },
    input: { name: 'demo', roles: ['api'] },
  })
  if (made.clientSecret === undefined)
    throw new CommandError('the server made an account without a Client Secret')
  return { clientId: made.clientId, clientSecret: made.clientSecret }
}

/** Tokens as a client gets them, the first one at once. Undefined when the account is gone or its secret no longer good. */
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
