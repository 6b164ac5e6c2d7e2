/** Connects commands to a server: as its operator with `--data`, as the signed-in person with `--server`, or as an account. */
import { connect as connectTo } from 'node:net'
import { clientCredentials, discover, managementAudience, type TokenSource } from '@querent/client'
import { type Management, managementApi } from '@querent/client/manage'
import { commandLineAgent } from '@querent/contract/rights-sources'
import { serverOriginProblem } from '@querent/contract/server-origin'
import { CommandError, UsageError } from '#command-line/failure'
import type { Globals } from '#command-line/globals'
import { readSecret } from '#terminal/stdin'
import { type Addresses, awaitServer, readAddresses, readOperator } from './operator.ts'
import { personTokens, requireSignIn } from './sign-in.ts'

/** Options of commands that an account can run with its own credential. */
export interface AccountOptions {
  clientId?: string
  clientSecretStdin?: true
}

export interface Connection {
  authUrl: string
  /** Origin of the query service and the documents address. */
  baseUrl: string
  /** The management API. */
  management: Management
  /** Returns tokens for the query service and the documents address, or for another address. */
  tokenFor: (audience?: string) => TokenSource
}

/**
 * Finds the server and the credential, and waits for a server that is starting. It sends a request for metadata with `--server`, and
 * nothing otherwise. Without `account`, accounts cannot run the command. Throws `SignInError` if `--server` has no credential.
 */
export const connect = (globals: Globals, account?: AccountOptions): Promise<Connection> =>
  connectVia(reachableOrigin, globals, account)

/**
 * Connects to the node that owns the data folder, past any proxy or load balancer. Returns undefined if the node's address is unknown or
 * equals the public one.
 */
export const connectToNode = async (globals: Globals): Promise<Connection | undefined> => {
  if (globals.server !== undefined) return undefined
  const { authUrl, listening } = await readOperator(globals)
  if (listening?.authUrl === undefined || listening.authUrl === authUrl) return undefined
  return connectVia(async (publicUrl, nodeUrl) => nodeUrl ?? publicUrl, globals)
}

const connectVia = async (
  chooseOrigin: typeof reachableOrigin,
  globals: Globals,
  account?: AccountOptions,
): Promise<Connection> => {
  const { authUrl, baseUrl, listening, credential } = await findCredential(globals, account)
  const [authOrigin, baseOrigin] = await Promise.all([
    chooseOrigin(authUrl, listening?.authUrl),
    chooseOrigin(baseUrl, listening?.baseUrl),
  ])
  const tokenFor = (audience = baseUrl) =>
    credential === 'person'
      ? personTokens(authUrl, audience)
      : clientCredentials({ authUrl: authOrigin, ...credential, audience })
  const management = managementApi({
    authUrl: authOrigin,
    token: tokenFor(managementAudience(authUrl)),
    // The audit log says that the command line changed something.
    headers: { 'user-agent': commandLineAgent },
  })
  return { authUrl, baseUrl: baseOrigin, management, tokenFor }
}

type Credential = { clientId: string; clientSecret: string } | 'person'

const findCredential = async (
  globals: Globals,
  account: AccountOptions = {},
): Promise<Addresses & { credential: Credential }> => {
  const ownCredential = await readAccount(account)
  if (globals.server !== undefined) {
    const addresses = await findServer(globals.server, ownCredential === undefined)
    return { ...addresses, credential: ownCredential ?? 'person' }
  }
  await awaitServer(globals)
  if (ownCredential) return { ...(await readAddresses(globals)), credential: ownCredential }
  const { clientId, clientSecret, ...addresses } = await readOperator(globals)
  return { ...addresses, credential: { clientId, clientSecret } }
}

/** Looks for the sign-in before it sends anything. */
const findServer = async (server: string, needsSignIn: boolean): Promise<Addresses> => {
  if (needsSignIn) await requireSignIn(parseServer(server))
  return discoverAddresses(server)
}

/** How long to wait for a public address that does not answer from this machine. */
const connectTimeoutMs = 3000

/** Returns the public address, or the address that the server listens on if this machine cannot connect to the public one. */
const reachableOrigin = async (publicUrl: string, listening: string | undefined): Promise<string> =>
  listening === undefined || listening === publicUrl || (await isReached(new URL(publicUrl)))
    ? publicUrl
    : listening

const isReached = ({ protocol, hostname, port }: URL): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connectTo({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || (protocol === 'https:' ? 443 : 80)),
    })
    const end = (isConnected: boolean) => {
      socket.destroy()
      resolve(isConnected)
    }
    socket.setTimeout(connectTimeoutMs, () => end(false))
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
  })

/** Reads the secret from standard input or the environment, because everyone on the machine can see arguments. */
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
 * Reads the origin of the query service from the metadata of an authorization server. Both receive secrets or tokens, so plain http is
 * allowed only on this machine. `label` names the option or argument. Throws {@link CommandError}, or an error of the client.
 */
export const discoverAddresses = async (
  server: string,
  label?: string,
): Promise<{ authUrl: string; baseUrl: string }> => {
  const authUrl = parseServer(server, label)
  const metadata = await discover(authUrl)
  const resources: unknown = metadata?.protected_resources
  const baseUrl: unknown = Array.isArray(resources) ? resources[0] : undefined
  if (typeof baseUrl !== 'string')
    throw new CommandError(
      `the metadata of ${server} names no query service: is it a Querent authorization server?`,
    )
  const toError = (reason: string) =>
    new CommandError(`the metadata of ${server} names a query service that is not safe to use: ${reason}`)
  return { authUrl, baseUrl: parseOrigin(baseUrl, toError) }
}

/** Parses the URL of an authorization server. Throws {@link UsageError}. */
export const parseServer = (server: string, label = '--server'): string =>
  parseOrigin(server, reason => new UsageError(`${label}: ${reason}`))

/** Parses an origin by the same rule as `--base-url` of `querent serve`. */
const parseOrigin = (address: string, toError: (reason: string) => CommandError): string => {
  const problem = serverOriginProblem(address)
  if (problem !== undefined) throw toError(problem)
  return new URL(address).origin
}
