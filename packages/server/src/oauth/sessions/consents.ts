/**
 * What people agreed to. A consent is of one person and one application, and stays until it is withdrawn. A grant is what the library
 * ties a code and its tokens to: one for each code, made from the consent, so that a replay ends what came of that code and nothing
 * else. Its record names the session that it was made in (adapter.ts), with which it ends (storage/sessions.ts).
 *
 * Withdrawing is `endGrantsOf` of storage/grants.ts, which ends the consent with all grants.
 */
import { randomBytes } from 'node:crypto'
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import { audienceCovers } from '#authz/audience'
import type { LoadedClient } from '#oauth/clients/clients'
import type { InteractionDetails } from '#oauth/provider/interaction-types'
import type { LibraryClient } from '#oauth/provider/oidc-provider-internals'
import { readPersonalClaims, readResources, readScopes } from '#oauth/requests/normalize-request'
import type { Db } from '#storage/db'
import { findRecord, saveRecord } from '#storage/oidc-records'

export interface Permissions {
  scopes: readonly string[]
  claims: readonly string[]
  /** Addresses that the tokens may open. */
  resources: readonly string[]
}
type Grant = InstanceType<Provider['Grant']>
interface Parties {
  accountId: string
  clientId: string
}

const noPermissions: Permissions = { scopes: [], claims: [], resources: [] }

export const readRequestedPermissions = (params: Readonly<Record<string, unknown>>): Permissions => ({
  scopes: readScopes(params),
  claims: readPersonalClaims(params),
  resources: readResources(params),
})

const mergePermissions = (a: Permissions, b: Permissions): Permissions => ({
  scopes: [...new Set([...a.scopes, ...b.scopes])],
  claims: [...new Set([...a.claims, ...b.claims])],
  resources: [...new Set([...a.resources, ...b.resources])],
})

const model = 'Consent'
const consentId = ({ accountId, clientId }: Parties): string => `${accountId} ${clientId}`

export const findConsent = async (db: Db, parties: Parties): Promise<Permissions | undefined> => {
  const record = await findRecord(db, model, { id: consentId(parties) })
  // Written by `saveConsent` alone.
  return record?.permissions as Permissions | undefined
}

const saveConsent = async (db: Db, parties: Parties, permissions: Permissions): Promise<void> => {
  const agreed = mergePermissions((await findConsent(db, parties)) ?? noPermissions, permissions)
  await saveRecord(db, {
    model,
    id: consentId(parties),
    grantId: `consent ${consentId(parties)}`,
    payload: { ...parties, iat: Math.floor(Date.now() / 1000), permissions: agreed },
  })
}

/**
 * A resource is granted with the scopes that were agreed to: the library knows no grant of an address alone, and asks again where one of
 * them is missing. So the `scope` of the token and of the reply is the one that was asked for, where it was given.
 */
const addPermissions = (grant: Grant, { scopes, claims, resources }: Permissions): void => {
  grant.addOIDCScope(scopes.join(' '))
  grant.addOIDCClaims([...claims])
  for (const resource of resources) grant.addResourceScope(resource, scopes.join(' '))
}

/** The part of a consent that the request asks for, so that a grant says what its application has, not what it may have. */
const intersectPermissions = (requested: Permissions, agreed: Permissions): Permissions => ({
  scopes: requested.scopes.filter(scope => agreed.scopes.includes(scope)),
  claims: requested.claims.filter(claim => agreed.claims.includes(claim)),
  // What was allowed as a whole is allowed in part.
  resources: requested.resources.filter(resource =>
    agreed.resources.some(wide => audienceCovers(wide, resource)),
  ),
})

/**
 * The grant of an authorization request, for the library: made from what was agreed to. It is stored with the code (adapter.ts),
 * not before: a page may still come. An application that is the workspace's own, and the server's own clients, have what they ask for.
 * Undefined: nothing was agreed to.
 */
export const makeGrantFinder =
  (db: Db, findLoadedClient: (client: LibraryClient) => LoadedClient | undefined) =>
  async (ctx: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { provider, client, account, params } = ctx.oidc
    if (!client || !account || !params) return undefined
    const parties = { accountId: account.accountId, clientId: client.clientId }
    const requested = readRequestedPermissions(params)
    const row = findLoadedClient(client)?.row
    const isOwn = row?.kind === 'own' || (row?.kind === 'application' && row.settings.own)
    const consent = isOwn ? requested : await findConsent(db, parties)
    if (!consent) return undefined
    const grant = new provider.Grant(parties)
    // The library gives one as it stores it, and names it in the code before.
    grant.jti = randomBytes(32).toString('base64url')
    addPermissions(grant, intersectPermissions(requested, consent))
    return grant
  }

/** Remembers that the person agrees to all that is asked for. */
export const recordConsent = async (db: Db, { params, session }: InteractionDetails): Promise<void> => {
  const accountId = session?.accountId
  const clientId = params.client_id
  if (accountId === undefined || typeof clientId !== 'string')
    throw new Error('an interaction for consent without a person or an application')
  await saveConsent(db, { accountId, clientId }, readRequestedPermissions(params))
}
