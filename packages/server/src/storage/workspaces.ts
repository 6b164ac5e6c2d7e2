/** Workspaces and their definitions. */
import { randomUUID } from 'node:crypto'
import type { Definition } from '@querent/contract/workspace-file'
import type { Selectable } from 'kysely'
import { memberKey } from './change-feed.ts'
import type { Db, Writer } from './db.ts'
import { saveProviderDomains } from './provider-domains.ts'
import { removeSignInsOfWorkspace } from './sign-in-log.ts'
import type { Tables } from './tables.ts'
import { removeDisallowedSearches } from './usage.ts'

export interface WorkspaceRow extends Omit<Selectable<Tables['workspaces']>, 'definition_json'> {
  definition: Definition
}

const parseWorkspace = ({ definition_json, ...row }: Selectable<Tables['workspaces']>): WorkspaceRow => ({
  ...row,
  // Written only by `createWorkspace` and `saveDefinition`.
  definition: JSON.parse(definition_json) as Definition,
})

/** Returns undefined if the slug is taken. */
export const createWorkspace = async (
  { db, announce }: Writer,
  definition: Definition,
): Promise<WorkspaceRow | undefined> => {
  const row = await db
    .insertInto('workspaces')
    .values({
      id: randomUUID(),
      slug: definition.workspace,
      title: definition.title ?? definition.workspace,
      definition_json: JSON.stringify(definition),
      version: 1,
      created_at: Date.now(),
    })
    .onConflict(c => c.column('slug').doNothing())
    .returningAll()
    .executeTakeFirst()
  if (row) {
    await saveProviderDomains({ db }, row.id, definition)
    announce('workspace', row.slug)
  }
  return row && parseWorkspace(row)
}

/** Saves the definition, and removes searches that its query log does not allow. */
export const saveDefinition = async (
  { db, announce, eraseRemoved }: Writer,
  id: string,
  definition: Definition,
): Promise<void> => {
  await db
    .updateTable('workspaces')
    .set(({ eb }) => ({
      title: definition.title ?? definition.workspace,
      definition_json: JSON.stringify(definition),
      version: eb('version', '+', 1),
    }))
    .where('id', '=', id)
    .execute()
  await saveProviderDomains({ db }, id, definition)
  if (await removeDisallowedSearches(db, id, definition)) eraseRemoved()
  announce('workspace', definition.workspace)
}

/**
 * Removes the workspace with its members, clients, invitations, generations and statistics; all its requests
 * are rejected from then on. Schedule the drop of its documents before.
 */
export const removeWorkspace = async (
  { db, announce }: Writer,
  { id, slug }: Pick<WorkspaceRow, 'id' | 'slug'>,
): Promise<void> => {
  const clients = await db.selectFrom('clients').select('id').where('workspace_id', '=', id).execute()
  const members = await db.selectFrom('members').select('subject').where('workspace_id', '=', id).execute()
  await db.deleteFrom('workspaces').where('id', '=', id).execute()
  await removeSignInsOfWorkspace(db, id)
  announce('generations', id)
  announce('workspace', slug)
  for (const { subject } of members) announce('member', memberKey(id, subject))
  for (const client of clients) announce('client', client.id)
}

export const findWorkspace = async (db: Db, slug: string): Promise<WorkspaceRow | undefined> => {
  const row = await db.selectFrom('workspaces').selectAll().where('slug', '=', slug).executeTakeFirst()
  return row && parseWorkspace(row)
}

/**
 * Makes other changes of this workspace, its members, invitations and generations wait for this transaction.
 * Does not set the id: SQLite would check every row that refers to it, 0.1 s for a million members.
 */
export const lockWorkspaceById = async (db: Db, id: string): Promise<void> => {
  await db
    .updateTable('workspaces')
    .set(({ ref }) => ({ version: ref('version') }))
    .where('id', '=', id)
    .execute()
}

/** Like {@link lockWorkspaceById}; returns the locked workspace. */
export const lockWorkspace = async (
  { db }: Pick<Writer, 'db'>,
  slug: string,
): Promise<WorkspaceRow | undefined> => {
  await db.updateTable('workspaces').set({ slug }).where('slug', '=', slug).execute()
  return findWorkspace(db, slug)
}

export const findWorkspaceById = async (db: Db, id: string): Promise<WorkspaceRow | undefined> => {
  const row = await db.selectFrom('workspaces').selectAll().where('id', '=', id).executeTakeFirst()
  return row && parseWorkspace(row)
}

/** Returns names of the workspaces with these ids, at most 1,000. */
export const findWorkspaceNames = async (
  db: Db,
  ids: readonly string[],
): Promise<Map<string, Pick<WorkspaceRow, 'slug' | 'title'>>> => {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('workspaces')
    .select(['id', 'slug', 'title'])
    .where('id', 'in', ids)
    .execute()
  return new Map(rows.map(row => [row.id, row]))
}

/**
 * Lists workspaces after the slug `after`, in order of slug: all, those with the member `subject`, or the one
 * with this `id`.
 */
export const listWorkspaces = async (
  db: Db,
  { subject, id, after, count }: { subject?: string; id?: string; after: string; count: number },
): Promise<WorkspaceRow[]> => {
  let query = db.selectFrom('workspaces').selectAll().where('slug', '>', after).orderBy('slug').limit(count)
  if (id !== undefined) query = query.where('id', '=', id)
  if (subject !== undefined)
    query = query.where(
      'id',
      'in',
      db.selectFrom('members').select('workspace_id').where('subject', '=', subject),
    )
  return (await query.execute()).map(parseWorkspace)
}

/** Versions of all workspaces; a version rises with each change of the definition. */
export const workspaceVersions = (db: Db): Promise<{ id: string; version: number }[]> =>
  db.selectFrom('workspaces').select(['id', 'version']).execute()

/** Lists every workspace, for opening its generations at start. */
export const listWorkspaceIds = async (db: Db): Promise<{ id: string; slug: string }[]> =>
  db.selectFrom('workspaces').select(['id', 'slug']).orderBy('slug').execute()

/** Returns those of `slugs` that exist, at most 1,000. */
export const findSlugs = async (db: Db, slugs: readonly string[]): Promise<Set<string>> => {
  if (slugs.length === 0) return new Set()
  const rows = await db.selectFrom('workspaces').select('slug').where('slug', 'in', slugs).execute()
  return new Set(rows.map(({ slug }) => slug))
}

/** Returns those of `slugs` that exist, at most 2,000. */
export const findWorkspaces = async (db: Db, slugs: readonly string[]): Promise<WorkspaceRow[]> => {
  if (slugs.length === 0) return []
  const rows = await db.selectFrom('workspaces').selectAll().where('slug', 'in', slugs).execute()
  return rows.map(parseWorkspace)
}
