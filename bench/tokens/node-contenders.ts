/** Contenders that are our own scripts on the shipped Node.js: the floor, and oidc-provider with only what the comparison needs. */
import { join } from 'node:path'
import { serverCore, startPinned } from '#bench/http/pinned'
import type { Account } from '#bench/http/querent'
import { type Contender, newAccounts, peerAudience, peerIssuer, tokenRequest } from './contender.ts'

const warmSeconds = 5

/** Starts the script, and sends it the accounts. */
const startScript = async (file: string, accounts: readonly Account[]) => {
  const pinned = startPinned(serverCore, process.execPath, [join(import.meta.dirname, file)])
  const started = pinned.message<{ url: string }>()
  pinned.child.send(accounts)
  const { url } = await started
  return { url, issuer: url, jwksUrl: `${url}/jwks`, warmSeconds, [Symbol.asyncDispose]: pinned.stop }
}

export const startFloor = async (clients: number): Promise<Contender> => {
  const accounts = newAccounts(clients)
  const script = await startScript('floor-process.ts', accounts)
  return {
    ...script,
    name: 'bare node:http',
    requests: accounts.map(account => tokenRequest('/oauth/token', account, { audience: peerAudience })),
  }
}

export const startOidcProvider = async (clients: number): Promise<Contender> => {
  const accounts = newAccounts(clients)
  const script = await startScript('oidc-provider-process.ts', accounts)
  return {
    ...script,
    name: 'oidc-provider',
    issuer: peerIssuer,
    requests: accounts.map(account => tokenRequest('/token', account, { resource: peerAudience })),
  }
}
