/**
 * What people agreed to. A consent is of one person and one application, and stays until it is withdrawn. A grant is what the library
 * ties codes and tokens to: one for each session and application, made from the consent, so that a replayed code or a logout ends what
 * this one browser got and no other.
 *
 * Withdrawing is `endGrantsOf` of storage/grants.ts, which ends the consent with all grants.
 */
import type Provider from 'oidc-provider'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Db } from '#storage/db'
import { findRecord, saveRecord } from '#storage/oidc-records'
import { claimsOf, resourcesOf, scopesOf } from './asked.ts'
import type { InteractionDetails } from './boundary.ts'
import type { KnownClient } from './clients.ts'
import type { LibraryClient } from './library.ts'

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

const none: Permissions = { scopes: [], claims: [], resources: [] }

export const askedPermissions = (params: Readonly<Record<string, unknown>>): Permissions => ({
  scopes: scopesOf(params),
  claims: claimsOf(params),
  resources: resourcesOf(params),
})

const join = (a: Permissions, b: Permissions): Permissions => ({
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
  const agreed = join((await findConsent(db, parties)) ?? none, permissions)
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
const allow = (grant: Grant, { scopes, claims, resources }: Permissions): void => {
  grant.addOIDCScope(scopes.join(' '))
  grant.addOIDCClaims([...claims])
  for (const resource of resources) grant.addResourceScope(resource, scopes.join(' '))
}

const covered = (grant: Grant, { scopes, claims, resources }: Permissions): boolean => {
  const has = (given: string) => {
    const set = new Set(given.split(' '))
    return scopes.every(scope => set.has(scope))
  }
  const allowed = new Set(grant.getOIDCClaims())
  return (
    has(grant.getOIDCScope()) &&
    claims.every(claim => allowed.has(claim)) &&
    resources.every(resource => has(grant.getResourceScope(resource)))
  )
}

/** The part of a consent that the request asks for, so that a grant says what its application has, not what it may have. */
const within = (asked: Permissions, agreed: Permissions): Permissions => ({
  scopes: asked.scopes.filter(scope => agreed.scopes.includes(scope)),
  claims: asked.claims.filter(claim => agreed.claims.includes(claim)),
  resources: asked.resources.filter(resource => agreed.resources.includes(resource)),
})

/**
 * The grant of an authorization request, for the library: the one just agreed to, or this session's, with what was agreed to elsewhere.
 * An application that is the workspace's own, and the server's own clients, have what they ask for. Undefined: nothing was agreed to.
 */
export const grantFinder =
  (db: Db, knownOf: (client: LibraryClient) => KnownClient | undefined) =>
  async (ctx: KoaContextWithOIDC): Promise<Grant | undefined> => {
    const { provider, session, client, account, result, params } = ctx.oidc
    if (!client || !account || !params) return undefined
    const parties = { accountId: account.accountId, clientId: client.clientId }
    const grantId = result?.consent?.grantId ?? session?.grantIdFor(client.clientId)
    const found = grantId === undefined ? undefined : await provider.Grant.find(grantId)
    const kept =
      found?.accountId === parties.accountId && found.clientId === parties.clientId ? found : undefined

    const asked = askedPermissions(params)
    const row = knownOf(client)?.row
    const isOwn = row?.kind === 'own' || (row?.kind === 'application' && row.settings.own)
    const consent = isOwn ? asked : await findConsent(db, parties)
    if (!consent) return kept
    const given = within(asked, consent)
    const grant = kept ?? new provider.Grant(parties)
    if (!kept || !covered(kept, given)) {
      allow(grant, given)
      await grant.save()
    }
    return grant
  }

/** Remembers that the person agrees to all that is asked for. Returns the id of the grant. */
export const agree = async (provider: Provider, db: Db, details: InteractionDetails): Promise<string> => {
  const { params, session, grantId } = details
  const accountId = session?.accountId
  const clientId = params.client_id
  if (accountId === undefined || typeof clientId !== 'string')
    throw new Error('an interaction for consent without a person or an application')
  const parties = { accountId, clientId }
  const permissions = askedPermissions(params)
  const found = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = found?.accountId === accountId ? found : new provider.Grant(parties)
  allow(grant, permissions)
  await saveConsent(db, parties, permissions)
  return grant.save()
}
