/** E-mail domains of workspaces' own OpenID providers. A domain counts in a workspace once it is proved there. */
import { randomBytes } from 'node:crypto'
import { canonicalDomain } from '@querent/contract/email-address'
import type { Definition } from '@querent/contract/workspace-file'
import type { Selectable } from 'kysely'
import { hashSecret } from './clients.ts'
import type { Db, Writer } from './db.ts'
import type { ProviderTables } from './provider-tables.ts'

/** How a domain was proved. */
export type DomainProof = 'dns' | 'email' | 'operator'
/** Outcome of a look into the DNS. */
export type DomainCheck = 'found' | 'missing' | 'no-answer'

export type ProviderDomainRow = Selectable<ProviderTables['provider_domains']>

interface DomainKey {
  workspaceId: string
  domain: string
}

/** How long a proof by DNS counts after a look-up first failed. */
export const domainGraceMs = 14 * 24 * 60 * 60 * 1000

const linkPrefix = 'qrd_'

/** Keeps the domains of the definition. A domain that it no longer lists loses its proof, and a new one has none. */
export const saveProviderDomains = async (
  { db }: Pick<Writer, 'db'>,
  workspaceId: string,
  { identityProvider }: Pick<Definition, 'identityProvider'>,
): Promise<void> => {
  const domains = [
    ...new Set((identityProvider?.domains ?? []).map(domain => canonicalDomain(domain) ?? domain)),
  ]
  let removed = db.deleteFrom('provider_domains').where('workspace_id', '=', workspaceId)
  if (domains.length > 0) removed = removed.where('domain', 'not in', domains)
  await removed.execute()
  if (domains.length === 0) return
  await db
    .insertInto('provider_domains')
    .values(
      domains.map(domain => ({
        domain,
        workspace_id: workspaceId,
        token: randomBytes(24).toString('base64url'),
      })),
    )
    .onConflict(c => c.doNothing())
    .execute()
}

/** Returns the slugs of workspaces whose provider signs in people of this proved domain, at most `countMax`. */
export const findProviderWorkspaces = async (db: Db, domain: string, countMax: number): Promise<string[]> => {
  const rows = await db
    .selectFrom('provider_domains')
    .innerJoin('workspaces', 'workspaces.id', 'provider_domains.workspace_id')
    .select('slug')
    .where('domain', '=', domain)
    .where('proof', 'is not', null)
    .orderBy('slug')
    .limit(countMax)
    .execute()
  return rows.map(({ slug }) => slug)
}

/** Whether any workspace has a provider with a proved domain. */
export const hasProviders = async (db: Db): Promise<boolean> =>
  (await db
    .selectFrom('provider_domains')
    .select('domain')
    .where('proof', 'is not', null)
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Lists the domains of the workspace by name. */
export const listProviderDomains = (db: Db, workspaceId: string): Promise<ProviderDomainRow[]> =>
  db
    .selectFrom('provider_domains')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .orderBy('domain')
    .execute()

export const listProvedDomains = async (db: Db, workspaceId: string): Promise<string[]> => {
  const rows = await listProviderDomains(db, workspaceId)
  return rows.filter(({ proof }) => proof !== null).map(({ domain }) => domain)
}

export const findProviderDomain = (
  db: Db,
  { workspaceId, domain }: DomainKey,
): Promise<ProviderDomainRow | undefined> =>
  db
    .selectFrom('provider_domains')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('domain', '=', domain)
    .executeTakeFirst()

const update = ({ db }: Pick<Writer, 'db'>, { workspaceId, domain }: DomainKey) =>
  db.updateTable('provider_domains').where('workspace_id', '=', workspaceId).where('domain', '=', domain)

/** Records a proof. Ends an open link. */
export const proveDomain = async (
  writer: Pick<Writer, 'db'>,
  key: DomainKey,
  proof: DomainProof,
): Promise<void> => {
  await update(writer, key)
    .set({ proof, proved_at: Date.now(), failing_since: null, ...noLink })
    .execute()
}

const noLink = { link_hash: null, link_expires_at: null, link_address: null }

/** Proves all domains of the workspace by an operator's word. Returns those that were not proved. */
export const proveAllDomains = async (writer: Pick<Writer, 'db'>, workspaceId: string): Promise<string[]> => {
  const rows = await listProviderDomains(writer.db, workspaceId)
  const domains = rows.filter(({ proof }) => proof === null).map(({ domain }) => domain)
  for (const domain of domains) await proveDomain(writer, { workspaceId, domain }, 'operator')
  return domains
}

/** Ends a proof. */
export const withdrawDomainProof = async (writer: Pick<Writer, 'db'>, key: DomainKey): Promise<void> => {
  await update(writer, key).set({ proof: null, proved_at: null, failing_since: null }).execute()
}

/**
 * Records a look into the DNS. `startsGrace`: from a missing record on, the proof counts for {@link domainGraceMs}; a name server without an answer
 * changes nothing. Returns false if the row has been looked up, replaced or removed since it was read.
 */
export const recordDomainCheck = async (
  writer: Pick<Writer, 'db'>,
  row: ProviderDomainRow,
  outcome: DomainCheck,
  { startsGrace }: { startsGrace: boolean },
): Promise<boolean> => {
  const { workspace_id: workspaceId, domain, token, checked_at: before, failing_since: failingSince } = row
  const now = Date.now()
  const graceStart = startsGrace && outcome === 'missing' ? now : null
  const { numUpdatedRows } = await update(writer, { workspaceId, domain })
    .where('token', '=', token)
    .where('checked_at', before === null ? 'is' : '=', before)
    .set({
      checked_at: now,
      last_check: outcome,
      failing_since: outcome === 'found' ? null : (failingSince ?? graceStart),
    })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Lists proofs by DNS that were last looked up before a time, or before another one if the look-up failed, oldest first. */
export const listDueDomains = (
  db: Db,
  { checkedBefore, failedBefore }: { checkedBefore: number; failedBefore: number },
  countMax: number,
): Promise<ProviderDomainRow[]> =>
  db
    .selectFrom('provider_domains')
    .selectAll()
    .where('proof', '=', 'dns')
    .where(e =>
      e.or([
        e('checked_at', 'is', null),
        e('checked_at', '<=', checkedBefore),
        e.and([e('last_check', '!=', 'found'), e('checked_at', '<=', failedBefore)]),
      ]),
    )
    .orderBy('checked_at')
    .limit(countMax)
    .execute()

/**
 * Lists domains of all workspaces that are not proved, or whose TXT record the last look-up did not find, at most `countMax`, and counts all of
 * them.
 */
export const listDoubtfulDomains = async (
  db: Db,
  countMax: number,
): Promise<{ domains: { workspace: string; domain: string; isProved: boolean }[]; count: number }> => {
  const doubtful = db
    .selectFrom('provider_domains')
    .innerJoin('workspaces', 'workspaces.id', 'provider_domains.workspace_id')
    .where(e => e.or([e('proof', 'is', null), e('failing_since', 'is not', null)]))
  const { count } = await doubtful
    .select(e => e.fn.countAll<number | string>().as('count'))
    .executeTakeFirstOrThrow()
  const rows = await doubtful
    .select(['slug', 'domain', 'proof'])
    .orderBy('slug')
    .orderBy('domain')
    .limit(countMax)
    .execute()
  const domains = rows.map(({ slug, domain, proof }) => ({
    workspace: slug,
    domain,
    isProved: proof !== null,
  }))
  return { domains, count: Number(count) }
}

/** Makes a link for the postmaster of the domain, stored as a hash. Ends an earlier one. */
export const createDomainLink = async (
  writer: Pick<Writer, 'db'>,
  key: DomainKey,
  { address, ttlMs }: { address: string; ttlMs: number },
): Promise<{ token: string; expiresAt: number }> => {
  const token = `${linkPrefix}${randomBytes(32).toString('base64url')}`
  const expiresAt = Date.now() + ttlMs
  await update(writer, key)
    .set({ link_hash: hashSecret(token), link_expires_at: expiresAt, link_address: address })
    .execute()
  return { token, expiresAt }
}

/** Returns the domain of an open link. */
export const findDomainLink = async (db: Db, token: string): Promise<ProviderDomainRow | undefined> => {
  const row = await db
    .selectFrom('provider_domains')
    .selectAll()
    .where('link_hash', '=', hashSecret(token))
    .executeTakeFirst()
  return row && (row.link_expires_at ?? 0) > Date.now() ? row : undefined
}

/** Proves the domain of an open link, once. Returns false if the link is not open any longer. */
export const useDomainLink = async ({ db }: Pick<Writer, 'db'>, token: string): Promise<boolean> => {
  const now = Date.now()
  const { numUpdatedRows } = await db
    .updateTable('provider_domains')
    .where('link_hash', '=', hashSecret(token))
    .where('link_expires_at', '>', now)
    .set({ proof: 'email', proved_at: now, failing_since: null, ...noLink })
    .executeTakeFirst()
  return numUpdatedRows > 0n
}
