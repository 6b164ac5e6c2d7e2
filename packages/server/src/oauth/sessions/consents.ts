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
import type { InteractionDetails } from '#oauth/library/interaction-types'
import type { LoadedClient, MetadataDocument } from '#oauth/library/loaded-client'
import type { LibraryClient } from '#oauth/library/oidc-provider-internals'
import { readPersonalClaims, readResources, readScopes } from '#oauth/requests/normalize-request'
import type { Db } from '#storage/db'
import { findRecord, saveRecord } from '#storage/oidc-records'
import { readPromptDocument } from './policy.ts'

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

/** A consent as stored. `document`: of an unregistered client, as the person saw it. */
interface Consent {
  permissions: Permissions
  document?: MetadataDocument
}

const model = 'Consent'
const consentId = ({ accountId, clientId }: Parties): string => `${accountId} ${clientId}`

/** Returns the consent. Undefined if the document of an unregistered client has changed since. */
export const findConsent = async (
  db: Db,
  parties: Parties,
  document: MetadataDocument | undefined,
): Promise<Permissions | undefined> => {
  // Written only by `saveConsent`.
  const record = (await findRecord(db, model, { id: consentId(parties) })) as Consent | undefined
  return record?.document?.digest === document?.digest ? record?.permissions : undefined
}

const saveConsent = async (db: Db, parties: Parties, { permissions, document }: Consent): Promise<void> => {
  const agreed = mergePermissions((await findConsent(db, parties, document)) ?? noPermissions, permissions)
  await saveRecord(db, {
    model,
    id: consentId(parties),
    grantId: `consent ${consentId(parties)}`,
    payload: { ...parties, iat: Math.floor(Date.now() / 1000), permissions: agreed, document },
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
    const { row, document } = findLoadedClient(client) ?? {}
    const isOwn = row?.kind === 'own' || (row?.kind === 'application' && row.settings.own)
    const consent = isOwn ? requested : await findConsent(db, parties, document)
    if (!consent) return undefined
    const grant = new provider.Grant(parties)
    // The library sets an id only when storing, but the code needs it before.
    grant.jti = randomBytes(32).toString('base64url')
    addPermissions(grant, intersectPermissions(requested, consent))
    return grant
  }

/** Stores the consent to everything requested. */
export const recordConsent = async (db: Db, details: InteractionDetails): Promise<void> => {
  const { params, session } = details
  const accountId = session?.accountId
  const clientId = params.client_id
  if (accountId === undefined || typeof clientId !== 'string')
    throw new Error('an interaction for consent without a person or an application')
  const permissions = readRequestedPermissions(params)
  const document = readPromptDocument(details)
  await saveConsent(db, { accountId, clientId }, { permissions, ...(document ? { document } : {}) })
}
