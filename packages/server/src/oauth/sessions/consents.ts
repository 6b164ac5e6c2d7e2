/**
 * Consents and grants. A consent belongs to a person and an application, and stays until it is withdrawn. A
 * grant ties a code to its tokens; each code has its own, made from the consent, so that a replay ends only
 * the tokens of that code. A grant ends with its session (adapter.ts, storage/sessions.ts).
 * `endUserGrants` of storage/grants.ts withdraws a consent and ends all its grants.
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
  // Written only by `saveConsent`.
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
 * Grants each resource with all agreed scopes. The library cannot grant a resource without scopes, and asks
 * again if one is missing.
 */
const addPermissions = (grant: Grant, { scopes, claims, resources }: Permissions): void => {
  grant.addOIDCScope(scopes.join(' '))
  grant.addOIDCClaims([...claims])
  for (const resource of resources) grant.addResourceScope(resource, scopes.join(' '))
}

/** Returns the requested part of a consent: a grant states what its application has, not what it may have. */
const intersectPermissions = (requested: Permissions, agreed: Permissions): Permissions => ({
  scopes: requested.scopes.filter(scope => agreed.scopes.includes(scope)),
  claims: requested.claims.filter(claim => agreed.claims.includes(claim)),
  // Consent to the whole includes its parts.
  resources: requested.resources.filter(resource =>
    agreed.resources.some(wide => audienceCovers(wide, resource)),
  ),
})

/**
 * Makes the grant of an authorization request from the consent. It is stored together with the code
 * (adapter.ts), because a page may still come. First-party applications and the server's own clients get
 * everything they request. Undefined without a consent.
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
    // The library sets an id only when storing, but the code needs it before.
    grant.jti = randomBytes(32).toString('base64url')
    addPermissions(grant, intersectPermissions(requested, consent))
    return grant
  }

/** Stores the consent to everything requested. */
export const recordConsent = async (db: Db, { params, session }: InteractionDetails): Promise<void> => {
  const accountId = session?.accountId
  const clientId = params.client_id
  if (accountId === undefined || typeof clientId !== 'string')
    throw new Error('an interaction for consent without a person or an application')
  await saveConsent(db, { accountId, clientId }, readRequestedPermissions(params))
}
