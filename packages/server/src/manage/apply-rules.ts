/** What a right file may not do to the workspace that there is; each refusal has its place in the file. */
import { isDeepStrictEqual } from 'node:util'
import { rowFilterFaults } from '@querent/contract/client-faults'
import { fieldTypes } from '@querent/contract/field-value'
import type { Change } from '@querent/contract/manage'
import { collectionChoices, type Definition, type WorkspaceFile } from '@querent/contract/workspace-file'
import type { Path } from '@querent/contract/workspace-source'
import type { Db } from '#storage/db'
import { findUserByEmail } from '#storage/users'
import type { WorkspaceRow } from '#storage/workspaces'
import type { ManagedCollections } from './call.ts'
import type { FullWorkspace } from './changes.ts'
import { publicKeyFaults } from './public-keys.ts'
import { WorkspaceFileRefusal } from './refused-file.ts'

/** Throws 400 with the places of keys that are no public ones. Those that an application has already stay: older rules let them in. */
export const refuseBadApplicationKeys = (before: FullWorkspace | undefined, after: FullWorkspace): void => {
  const applicationsBefore = new Map(Object.entries(before?.applications ?? {}))
  const faults = Object.entries(after.applications)
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

/** Members' addresses as the file writes them, by their folded form. */
export const readWrittenEmails = ({ members = {} }: WorkspaceFile): ReadonlyMap<string, string> =>
  new Map(Object.keys(members).map(name => [name.trim().toLowerCase(), name]))

/**
 * Throws 400 when the file takes away a field that the row filter of somebody works on who is not named in it: they would see
 * nothing, and the workspace's export could not be applied. `maySeeMembers`: whether who applies may learn whose filter it is.
 */
export const refuseBrokenFilters = (
  before: FullWorkspace | undefined,
  after: FullWorkspace,
  maySeeMembers: boolean,
): void => {
  const types = fieldTypes(Object.values(after.definition.collections ?? {}))
  const holders = [
    ...Object.entries(after.members).map(([name, holder]) => [`members.${name}`, holder] as const),
    ...Object.entries(after.systemToSystem).map(
      ([name, holder]) => [`systemToSystem.${name}`, holder] as const,
    ),
  ]
  const brokenFilters = holders.flatMap(([holder, { filter }]) =>
    Object.entries(filter ?? {}).flatMap(([field, values]) => {
      // A faulty filter in the file itself was refused when it was read.
      const [fault] = rowFilterFaults(types, { [field]: values }, [])
      if (!fault) return []
      const filterName = maySeeMembers ? `the row filter of ${holder}` : 'the row filter of a member'
      const advice = maySeeMembers ? 'change that filter in the same file' : 'ask an administrator'
      return [
        {
          path: locateField(before, field),
          message: `${filterName} uses the field "${field}": ${fault.message}; keep the field, or ${advice}`,
        },
      ]
    }),
  )
  if (brokenFilters.length > 0) throw new WorkspaceFileRefusal('bad-workspace-file', brokenFilters)
}

/** Throws 400 with the places of generations that configurations name and that are not kept. To be asked outside of a transaction. */
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
    message: `found ${JSON.stringify(choice)}, allowed: live, latest, or a generation of ${collection}: ${generationsByCollection.get(collection)?.join(', ') || 'there are none yet'}`,
    target: 'value' as const,
  }))
  if (places.length > 0) throw new WorkspaceFileRefusal('bad-workspace-file', places)
}

const locateField = (before: FullWorkspace | undefined, field: string): Path => {
  const collections = Object.entries(before?.definition.collections ?? {})
  const previousEntry = collections.find(([, { fields = {} }]) => Object.hasOwn(fields, field))
  return previousEntry ? ['collections', previousEntry[0], 'fields', field] : ['collections']
}

/** Throws 409 with the place when the file leaves nobody who administers the workspace and may sign in; invitees are no members yet. */
export const requireAdministrator = async (
  db: Db,
  file: WorkspaceFile,
  before: FullWorkspace,
  after: FullWorkspace,
  invitees: ReadonlySet<string>,
): Promise<void> => {
  const administrators = ({ members }: FullWorkspace) =>
    Object.keys(members).filter(email => members[email]?.roles.includes('administrator'))
  const remaining = administrators(after).filter(email => !invitees.has(email))
  const remainingEmails = new Set(remaining)
  const leaving = administrators(before).filter(email => !remainingEmails.has(email))
  if (leaving.length === 0) return
  for (const email of remaining) if ((await findUserByEmail(db, email))?.disabled === 0) return
  const message =
    'the last administrator of a workspace cannot step down: make another one in the same file, or before'
  const writtenEmails = readWrittenEmails(file)
  const places = leaving.map(email => ({ path: ['members', writtenEmails.get(email) ?? email], message }))
  throw new WorkspaceFileRefusal('conflict', places)
}

/** Paths of the APIs that open to others than before, a new one that is public too: without an `access` one is the members'. */
export const accessChanges = (before: Definition, after: Definition): string[] =>
  Object.entries(after.apis ?? {})
    .filter(([name, { access = 'members' }]) => {
      const previousApi = Object.hasOwn(before.apis ?? {}, name) ? before.apis?.[name] : undefined
      return access !== (previousApi?.access ?? 'members')
    })
    .map(([name]) => `apis.${name}.access`)

/** Names of the members, applications or accounts that change. Sections are compared one level deep, so a path is `section.name`. */
export const changedNames = (changes: readonly Change[], section: string): string[] => [
  ...new Set(
    changes
      .filter(({ path }) => path.startsWith(`${section}.`))
      .map(({ path }) => path.slice(section.length + 1)),
  ),
]
