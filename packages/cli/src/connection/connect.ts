/** How commands reach a server: as its operator by `--data`, or with an account's own credential. */
import {
  clientCredentials,
  discover,
  type Management,
  managementApi,
  managementAudience,
  type TokenSource,
  withoutSlash,
} from '@querent/client'
import { CommandError, UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { readSecret } from '#terminal/stdin'
import { readAddresses, readOperator } from './operator.ts'

/** Options of commands that an account may run with its own credential. */
export interface AccountOptions {
  clientId?: string
  clientSecretStdin?: true
}

export interface Connection {
  authUrl: string
  baseUrl: string
  /** The management API. */
  management: Management
  /** Tokens for the query service and the documents address, or for another address. */
  tokenFor: (audience?: string) => TokenSource
}

/** Finds the server and the credential. Sends nothing but a request for metadata, and that only with `--server`. */
export const connect = async (globals: Globals, account: AccountOptions = {}): Promise<Connection> => {
  const own = await readAccount(account)
  const { authUrl, baseUrl, clientId, clientSecret } =
    globals.server === undefined
      ? own
        ? { ...(await readAddresses(globals)), ...own }
        : await readOperator(globals)
      : { ...(await addressesOf(globals.server)), ...(own ?? noCredential()) }
  const tokenFor = (audience = baseUrl) => clientCredentials({ authUrl, clientId, clientSecret, audience })
  const management = managementApi({ authUrl, token: tokenFor(managementAudience(authUrl)) })
  return { authUrl, baseUrl, management, tokenFor }
}

const noCredential = (): never => {
  throw new UsageError(
    '--server needs a credential: give --client-id and --client-secret-stdin (or QUERENT_CLIENT_SECRET); `querent login` comes in a later version',
  )
}

/** The secret comes by standard input or the environment: arguments can be seen by everyone on the machine. */
const readAccount = async (account: AccountOptions) => {
  const fromEnvironment = process.env.QUERENT_CLIENT_SECRET || undefined
  const { clientId, clientSecretStdin } = account
  if (clientId === undefined) {
    if (clientSecretStdin) throw new UsageError('--client-secret-stdin needs --client-id')
    return undefined
  }
  if (!clientSecretStdin && fromEnvironment === undefined)
    throw new UsageError(
      '--client-id needs --client-secret-stdin, or QUERENT_CLIENT_SECRET in the environment',
    )
  const clientSecret = clientSecretStdin ? await readSecret('Client Secret') : fromEnvironment
  return clientSecret === undefined ? undefined : { clientId, clientSecret }
}

/** Where the query service of an authorization server is, by its metadata. Throws {@link CommandError}, or what the client throws. */
export const addressesOf = async (server: string): Promise<{ authUrl: string; baseUrl: string }> => {
  if (!URL.canParse(server))
    throw new UsageError(`--server: "${server}" is no address such as https://login.example.org`)
  const { protected_resources: [baseUrl] = [] } = await discover(server)
  if (baseUrl === undefined)
    throw new CommandError(
      `the metadata of ${server} names no query service: is it a Querent authorization server?`,
    )
  return { authUrl: withoutSlash(server), baseUrl: withoutSlash(baseUrl) }
}
