/** How commands reach a server: as its operator by `--data`, or with an account's own credential. */
import { connect as connectTo } from 'node:net'
import {
  clientCredentials,
  discover,
  type Management,
  managementApi,
  managementAudience,
  type TokenSource,
} from '@querent/client'
import { serverOriginProblem } from '@querent/contract/server-origin'
import { CommandError, UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { readSecret } from '#terminal/stdin'
import { type Operator, readAddresses, readOperator, untilServed } from './operator.ts'

/** Options of commands that an account may run with its own credential. */
export interface AccountOptions {
  clientId?: string
  clientSecretStdin?: true
}

export interface Connection {
  authUrl: string
  /** Where queries and documents go. */
  baseUrl: string
  /** The management API. */
  management: Management
  /** Tokens for the query service and the documents address, or for another address. */
  tokenFor: (audience?: string) => TokenSource
}

/**
 * Finds the server and the credential; waits a while for a server that is starting. Sends nothing but a request for metadata, and that
 * only with `--server`. Without `account` the command is one that only operators run.
 */
export const connect = (globals: Globals, account?: AccountOptions): Promise<Connection> =>
  connectBy(originHere, globals, account)

/**
 * The same to the very node that has the data folder, past any proxy or load balancer. Returns undefined if the public address is all
 * that is known, or is that of the node.
 */
export const connectToNode = async (globals: Globals): Promise<Connection | undefined> => {
  if (globals.server !== undefined) return undefined
  const { authUrl, listening } = await readOperator(globals)
  if (listening?.authUrl === undefined || listening.authUrl === authUrl) return undefined
  return connectBy(async (publicUrl, own) => own ?? publicUrl, globals)
}

const connectBy = async (
  chooseOrigin: typeof originHere,
  globals: Globals,
  account?: AccountOptions,
): Promise<Connection> => {
  if (globals.server !== undefined && account === undefined) throw forOperators()
  const own = await readAccount(account ?? {})
  if (globals.server === undefined) await untilServed(globals)
  const { authUrl, baseUrl, clientId, clientSecret, listening }: Operator =
    globals.server === undefined
      ? own
        ? { ...(await readAddresses(globals)), ...own }
        : await readOperator(globals)
      : { ...(own ?? noCredential()), ...(await addressesOf(globals.server)) }
  const [authOrigin, baseOrigin] = await Promise.all([
    chooseOrigin(authUrl, listening?.authUrl),
    chooseOrigin(baseUrl, listening?.baseUrl),
  ])
  const tokenFor = (audience = baseUrl) =>
    clientCredentials({ authUrl: authOrigin, clientId, clientSecret, audience })
  const management = managementApi({ authUrl: authOrigin, token: tokenFor(managementAudience(authUrl)) })
  return { authUrl, baseUrl: baseOrigin, management, tokenFor }
}

/** So long a public address is waited for that does not answer here. */
const connectTimeoutMs = 3000

/** The public address; where nothing can be connected to there from this machine, that which the server listens on. */
const originHere = async (publicUrl: string, listening: string | undefined): Promise<string> =>
  listening === undefined || listening === publicUrl || (await isReached(new URL(publicUrl)))
    ? publicUrl
    : listening

const isReached = ({ protocol, hostname, port }: URL): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connectTo({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
    })
    const end = (found: boolean) => {
      socket.destroy()
      resolve(found)
    }
    socket.setTimeout(connectTimeoutMs, () => end(false))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })

const forOperators = (): UsageError =>
  new UsageError(
    'this command is for operators: run it on the machine of the authorization server, with --data; with --server only search, import and token work, as an account, and doctor (`querent login` comes in a later version)',
  )

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

/**
 * Where the query service of an authorization server is, by its metadata. Secrets and tokens go to both: neither may be plain http but on
 * this machine. Throws {@link CommandError}, or what the client throws.
 */
export const addressesOf = async (server: string): Promise<{ authUrl: string; baseUrl: string }> => {
  const authUrl = read(server, reason => new UsageError(`--server: ${reason}`))
  const metadata = await discover(authUrl)
  const resources: unknown = metadata?.protected_resources
  const baseUrl: unknown = Array.isArray(resources) ? resources[0] : undefined
  if (typeof baseUrl !== 'string')
    throw new CommandError(
      `the metadata of ${server} names no query service: is it a Querent authorization server?`,
    )
  const wrong = (reason: string) =>
    new CommandError(`the metadata of ${server} names a query service that is not used: ${reason}`)
  return { authUrl, baseUrl: read(baseUrl, wrong) }
}

/** An origin, by the same rule as `--base-url` of `querent serve`. */
const read = (address: string, refused: (reason: string) => CommandError): string => {
  const problem = serverOriginProblem(address)
  if (problem !== undefined) throw refused(problem)
  return new URL(address).origin
}
