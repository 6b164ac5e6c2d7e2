/** Rules for applying a valid file to the current workspace. Each error has its place in the file. */
import { isDeepStrictEqual } from 'node:util'
import { canonicalEmail, isEmail } from '@querent/contract/email-address'
import { describeFault, describeNotAllowed } from '@querent/contract/fault-texts'
import { fieldTypes } from '@querent/contract/field-value'
import type { Change } from '@querent/contract/manage'
import { listNames } from '@querent/contract/nearest-names'
import { rowFilterFaults } from '@querent/contract/row-filter-faults'
import { describeValue } from '@querent/contract/schema-faults'
import {
  collectionChoices,
  type Definition,
  type Field,
  type WorkspaceFile,
} from '@querent/contract/workspace-file'
import type { Path } from '@querent/contract/workspace-source'
import type { Embedders } from '#embedding/embedders'
import type { Engine } from '#engines/engine'
import { Problem } from '#errors'
import { publicKeyFaults } from '#keys/public-keys'
import type { Db } from '#storage/db'
import { findUserByEmail } from '#storage/users'
import type { WorkspaceRow } from '#storage/workspaces'
import type { ManagedCollections } from './call.ts'
import type { FullWorkspace } from './changes.ts'
import { WorkspaceFileRefusal } from './workspace-file-reader.ts'
import type { FileFinding } from './workspace-file-tasks.ts'

/**
 * Throws 400 with the places of keys that are not public keys. Skips unchanged keys of existing applications,
 * because older rules accepted them.
 */
export const refuseBadApplicationKeys = (
  current: FullWorkspace | undefined,
  desired: FullWorkspace,
): void => {
  const applicationsBefore = new Map(Object.entries(current?.applications ?? {}))
  const faults = Object.entries(desired.applications)
    .filter(
      ([name, { publicKeys }]) => !isDeepStrictEqual(publicKeys, applicationsBefore.get(name)?.publicKeys),
    )
    .flatMap(([name, { publicKeys }]) =>
      publicKeyFaults(publicKeys).map(({ path, message }) => ({
        path: ['applications', name, ...path],
        message,
      })),
    )
  if (faults.length > 0) throw new WorkspaceFileRefusal('bad-workspace-file', faults)
}

/** Returns members' addresses as written in the file, by their one form. */
export const readWrittenEmails = ({ members = {} }: WorkspaceFile): ReadonlyMap<string, string> =>
  new Map(Object.keys(members).map(name => [canonicalEmail(name), name]))

/** Throws 400 with the places of invited people whose address is none. Members may have one that earlier rules accepted. */
export const refuseBadAddresses = (file: WorkspaceFile, invitees: ReadonlySet<string>): void => {
  const writtenEmails = readWrittenEmails(file)
  const faults = [...invitees]
    .filter(email => !isEmail(email))
    .map(email => {
      const writtenEmail = writtenEmails.get(email) ?? email
      return {
        path: ['members', writtenEmail],
        ...describeNotAllowed(describeValue(writtenEmail), { code: 'email' }),
      }
    })
  if (faults.length > 0) throw new WorkspaceFileRefusal('bad-workspace-file', faults)
}

/** Throws 409 if a member has another spelling of somebody's address: a file could not tell the two apart. */
export const refuseClashingMembers = (current: FullWorkspace | undefined): void => {
  const email = Object.keys(current?.members ?? {}).find(member => canonicalEmail(member) !== member)
  if (email !== undefined)
    throw new Problem(
      'conflict',
      `the member ${email} has another spelling of somebody else's address ${canonicalEmail(email)}: an operator must change or remove one of the two accounts first (querent doctor)`,
    )
}

/**
 * Throws 400 if the file removes or changes a field used by a row filter of somebody not named in it: they
 * would see nothing, and the export could not be applied. `maySeeMembers`: whether the caller may learn whose
 * filter it is.
 */
export const refuseBrokenFilters = (
  current: FullWorkspace | undefined,
  desired: FullWorkspace,
  maySeeMembers: boolean,
): void => {
  const types = fieldTypes(Object.values(desired.definition.collections ?? {}))
  const holders = [
    ...Object.entries(desired.members).map(([name, holder]) => [`members.${name}`, holder] as const),
    ...Object.entries(desired.systemToSystem).map(
      ([name, holder]) => [`systemToSystem.${name}`, holder] as const,
    ),
  ]
  const brokenFilters: FileFinding[] = []
  for (const [holder, { filter = {} }] of holders)
    for (const [field, values] of Object.entries(filter)) {
      // The reader has already rejected faulty filters in the file.
      const [fault] = rowFilterFaults(types, { [field]: values }, [])
      if (!fault) continue
      const text = maySeeMembers
        ? describeFault('field-of-row-filter', { holder, field })
        : describeFault('field-of-hidden-row-filter', { field })
      brokenFilters.push({ path: locateField(current, field), ...text })
      if (brokenFilters.length === brokenFiltersMax)
        throw new WorkspaceFileRefusal('bad-workspace-file', brokenFilters)
    }
  if (brokenFilters.length > 0) throw new WorkspaceFileRefusal('bad-workspace-file', brokenFilters)
}

/** More than anybody reads; a workspace may have 10,000 members, each with a filter of 100 fields. */
const brokenFiltersMax = 100

/**
 * Throws 400 with the places of configurations that name unknown generations. Call it outside of a
 * transaction.
 */
export const refuseUnknownGenerations = async (
  collections: Pick<ManagedCollections, 'list'>,
  workspace: WorkspaceRow | undefined,
  { definition }: FullWorkspace,
): Promise<void> => {
  const namedGenerations = Object.entries(definition.configurations ?? {}).flatMap(
    ([config, configuration]) =>
      collectionChoices(configuration)
        .filter(([, choice]) => choice !== 'live' && choice !== 'latest')
        .map(([collection, choice]) => ({
          path: ['configurations', config, collection],
          collection,
          choice,
        })),
  )
  const generationsByCollection = new Map<string, string[]>()
  for (const { collection } of namedGenerations)
    if (!generationsByCollection.has(collection)) {
      const generations = workspace ? await collections.list(workspace, collection) : []
      generationsByCollection.set(
        collection,
        generations.filter(({ state }) => state !== 'building').map(({ name }) => name),
      )
    }
  const unknown = namedGenerations.filter(
    ({ collection, choice }) => !generationsByCollection.get(collection)?.includes(choice),
  )
  const places = unknown.map(({ path, collection, choice }) => ({
    path,
    ...describeFault('wrong-generation', {
      found: JSON.stringify(choice),
      collection,
      names: listNames(generationsByCollection.get(collection) ?? []),
    }),
    target: 'value' as const,
  }))
  if (places.length > 0) throw new WorkspaceFileRefusal('bad-workspace-file', places)
}

/** Throws 400 with the places of fields whose embedder the operator has not configured, or makes vectors of other dimensions. */
export const refuseUnknownEmbedders = (
  embedders: Embedders | undefined,
  current: Definition | undefined,
  { definition }: FullWorkspace,
): void => {
  const places = listChangedVectors(current, definition).flatMap(({ path, field }) => {
    if (!field.embed) return []
    const embedder = embedders?.get(field.embed.with)
    const names = [...(embedders?.keys() ?? [])]
    if (!embedder)
      return [
        {
          path: [...path, 'embed', 'with'],
          ...describeFault('unknown-embedder', {
            found: JSON.stringify(field.embed.with),
            names: listNames(names),
          }),
        },
      ]
    const { dimensions } = embedder.settings
    if (dimensions === field.dimensions) return []
    const text = describeFault('wrong-dimensions', {
      found: field.dimensions,
      dimensions,
      embedder: embedder.name,
    })
    return [{ path: [...path, 'dimensions'], ...text }]
  })
  if (places.length > 0) throw new WorkspaceFileRefusal('bad-workspace-file', places)
}

/** Throws 400 with the places of vector fields if the engine lacks something to search vectors, and names it. */
export const refuseMissingVectorSearch = async (
  missingForVectors: Engine['missingForVectors'],
  current: Definition | undefined,
  { definition }: FullWorkspace,
): Promise<void> => {
  const changed = listChangedVectors(current, definition)
  const missing = changed.length > 0 ? await missingForVectors?.() : undefined
  if (missing === undefined) return
  const text = describeFault('no-vector-search', { missing })
  throw new WorkspaceFileRefusal(
    'bad-workspace-file',
    changed.map(({ path }) => ({ path: [...path, 'type'], ...text })),
  )
}

type VectorField = Extract<Field, { type: 'vector' }>

/**
 * Lists the vector fields that are new or changed. The operator may have taken away what the others need; other changes of the workspace
 * stay possible.
 */
const listChangedVectors = (
  current: Definition | undefined,
  { collections = {} }: Definition,
): { path: string[]; field: VectorField }[] =>
  Object.entries(collections).flatMap(([collection, { fields = {} }]) =>
    Object.entries(fields).flatMap(([name, field]) => {
      const currentField = current?.collections?.[collection]?.fields?.[name]
      if (field.type !== 'vector' || isDeepStrictEqual(currentField, field)) return []
      return [{ path: ['collections', collection, 'fields', name], field }]
    }),
  )

const locateField = (current: FullWorkspace | undefined, field: string): Path => {
  const collections = Object.entries(current?.definition.collections ?? {})
  const previousEntry = collections.find(([, { fields = {} }]) => Object.hasOwn(fields, field))
  return previousEntry ? ['collections', previousEntry[0], 'fields', field] : ['collections']
}

/** Throws 409 with the place if no enabled administrator remains. Invitees do not count yet. */
export const requireAdministrator = async (
  db: Db,
  file: WorkspaceFile,
  current: FullWorkspace,
  desired: FullWorkspace,
  invitees: ReadonlySet<string>,
): Promise<void> => {
  const administrators = ({ members }: FullWorkspace) =>
    Object.keys(members).filter(
      email => members[email]?.roles.includes('administrator') && members[email].until === undefined,
    )
  const remaining = administrators(desired).filter(email => !invitees.has(email))
  const remainingEmails = new Set(remaining)
  const leaving = administrators(current).filter(email => !remainingEmails.has(email))
  if (leaving.length === 0) return
  for (const email of remaining) if ((await findUserByEmail(db, email))?.disabled === 0) return
  const text = describeFault('last-administrator')
  const writtenEmails = readWrittenEmails(file)
  const places = leaving.map(email => ({ path: ['members', writtenEmails.get(email) ?? email], ...text }))
  throw new WorkspaceFileRefusal('conflict', places)
}

/**
 * Returns paths of APIs whose `access` changes, including new public ones. Without `access` an API is for
 * members.
 */
export const accessChanges = (current: Definition, desired: Definition): string[] =>
  Object.entries(desired.apis ?? {})
    .filter(([name, { access = 'members' }]) => {
      const previousApi = Object.hasOwn(current.apis ?? {}, name) ? current.apis?.[name] : undefined
      return access !== (previousApi?.access ?? 'members')
    })
    .map(([name]) => `apis.${name}.access`)

/** Returns the paths of `readers` and `visible` that change. They decide who reads what. */
export const readingRightsChanges = (current: Definition, desired: Definition): string[] => {
  const names = new Set([
    ...Object.keys(current.collections ?? {}),
    ...Object.keys(desired.collections ?? {}),
  ])
  return [...names].flatMap(name => {
    const [old, next] = [current.collections?.[name], desired.collections?.[name]]
    const path = `collections.${name}`
    const fields = new Set([...Object.keys(old?.fields ?? {}), ...Object.keys(next?.fields ?? {})])
    return [
      ...(isDeepStrictEqual(old?.readers, next?.readers) ? [] : [`${path}.readers`]),
      ...[...fields]
        .filter(field => !isDeepStrictEqual(old?.fields?.[field]?.visible, next?.fields?.[field]?.visible))
        .map(field => `${path}.fields.${field}.visible`),
    ]
  })
}

/**
 * Returns names of changed members, applications or accounts. Sections are compared one level deep, so a path
 * is `section.name`.
 */
export const changedNames = (changes: readonly Change[], section: string): string[] => [
  ...new Set(
    changes
      .filter(({ path }) => path.startsWith(`${section}.`))
      .map(({ path }) => path.slice(section.length + 1)),
  ),
]
