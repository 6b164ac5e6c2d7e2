/** What a right file may not do to the workspace that there is; each refusal has its place in the file. */
import { isDeepStrictEqual } from 'node:util'
import { rowFilterFaults } from '@querent/contract/client-faults'
import type { ErrorPlace } from '@querent/contract/errors'
import { fieldTypes } from '@querent/contract/field-value'
import type { Change } from '@querent/contract/manage'
import type { Definition, WorkspaceFile } from '@querent/contract/workspace-file'
import { type Path, readSource } from '@querent/contract/workspace-source'
import { Problem } from '#errors'
import type { Db } from '#storage/db'
import { findUserByEmail, type UserRow } from '#storage/users'
import type { WorkspaceRow } from '#storage/workspaces'
import type { ManagedCollections } from './call.ts'
import type { Described } from './changes.ts'
import { publicKeyFaults } from './public-keys.ts'

/** The message is about the first place, all are in `errors`. */
export const badFile = (
  code: 'bad-workspace-file' | 'not-built-yet' | 'conflict',
  errors: readonly ErrorPlace[],
): Problem => {
  const [first] = errors
  const place = first?.line === undefined ? '' : `line ${first.line}, column ${first.column}: `
  const path = first?.path && !first.message.startsWith(first.path) ? `${first.path}: ` : ''
  return new Problem(code, `${place}${path}${first?.message ?? 'the workspace file is not allowed'}`, {
    errors,
  })
}

/** With line and column in the file; of the nearest thing around it for what is not there. */
export const placesIn = (
  source: string,
  found: readonly { path: Path; message: string; at?: 'key' | 'value' }[],
): ErrorPlace[] => {
  const read = readSource(source)
  return found.map(({ path, message, at = 'key' }) => ({
    message,
    path: path.join('.'),
    ...('errors' in read ? {} : read.placeOf(path, at)),
  }))
}

/** Throws 400 with the places of keys that are no public ones. Those that an application has already stay: older rules let them in. */
export const refuseBadKeysOf = (source: string, before: Described | undefined, after: Described): void => {
  const kept = new Map(Object.entries(before?.applications ?? {}))
  const found = Object.entries(after.applications)
    .filter(([name, { publicKeys }]) => !isDeepStrictEqual(publicKeys, kept.get(name)?.publicKeys))
    .flatMap(([name, { publicKeys }]) =>
      publicKeyFaults(publicKeys).map(({ path, message }) => ({
        path: ['applications', name, ...path],
        message,
      })),
    )
  if (found.length > 0) throw badFile('bad-workspace-file', placesIn(source, found))
}

/** The users behind these addresses. Throws 400 with the places of those whom this server does not know. */
export const usersOf = async (
  source: string,
  db: Db,
  file: WorkspaceFile,
  emails: readonly string[],
): Promise<Map<string, UserRow>> => {
  const users = new Map<string, UserRow>()
  const unknown: string[] = []
  for (const email of emails) {
    const user = await findUserByEmail(db, email)
    if (user) users.set(email, user)
    else unknown.push(email)
  }
  if (unknown.length === 0) return users
  const places = unknown.map(email => ({
    path: ['members', writtenAs(file, email)],
    message: `there is no user ${email}: make one first with \`querent users create ${email}\``,
  }))
  throw badFile('bad-workspace-file', placesIn(source, places))
}

/** A member's address as the file writes it. */
export const writtenAs = ({ members = {} }: WorkspaceFile, email: string): string =>
  Object.keys(members).find(name => name.trim().toLowerCase() === email) ?? email

/**
 * Throws 400 when the file takes away a field that the row filter of somebody works on who is not named in it: they would see
 * nothing, and the workspace's export could not be applied. `maySeeMembers`: whether who applies may learn whose filter it is.
 */
export const refuseLostFilters = (
  source: string,
  before: Described | undefined,
  after: Described,
  maySeeMembers: boolean,
): void => {
  const types = fieldTypes(Object.values(after.definition.collections ?? {}))
  const holders = [
    ...Object.entries(after.members).map(([name, holder]) => [`members.${name}`, holder] as const),
    ...Object.entries(after.systemToSystem).map(
      ([name, holder]) => [`systemToSystem.${name}`, holder] as const,
    ),
  ]
  const lost = holders.flatMap(([holder, { filter }]) =>
    Object.entries(filter ?? {}).flatMap(([field, values]) => {
      // A faulty filter in the file itself was refused when it was read.
      const [fault] = rowFilterFaults(types, { [field]: values }, [])
      if (!fault) return []
      const whose = maySeeMembers ? `the row filter of ${holder}` : 'the row filter of a member'
      const instead = maySeeMembers ? 'change that filter in the same file' : 'ask an administrator'
      return [
        {
          path: placeOfField(before, field),
          message: `${whose} uses the field "${field}": ${fault.message}; keep the field, or ${instead}`,
        },
      ]
    }),
  )
  if (lost.length > 0) throw badFile('bad-workspace-file', placesIn(source, lost))
}

/** Throws 400 with the places of generations that configurations name and that are not kept. To be asked outside of a transaction. */
export const refuseUnknownGenerations = async (
  source: string,
  collections: Pick<ManagedCollections, 'list'>,
  workspace: WorkspaceRow | undefined,
  { definition }: Described,
): Promise<void> => {
  const named = Object.entries(definition.configurations ?? {}).flatMap(([config, configuration]) =>
    Object.entries(configuration)
      .filter(([, choice]) => choice !== 'live' && choice !== 'latest')
      .map(([collection, choice]) => ({ path: ['configurations', config, collection], collection, choice })),
  )
  const kept = new Map<string, string[]>()
  for (const { collection } of named)
    if (!kept.has(collection)) {
      const all = workspace ? await collections.list(workspace, collection) : []
      kept.set(
        collection,
        all.filter(({ state }) => state !== 'building').map(({ name }) => name),
      )
    }
  const unknown = named.filter(({ collection, choice }) => !kept.get(collection)?.includes(choice))
  const places = unknown.map(({ path, collection, choice }) => ({
    path,
    message: `found ${JSON.stringify(choice)}, allowed: live, latest, or a generation of ${collection}: ${kept.get(collection)?.join(', ') || 'there are none yet'}`,
    at: 'value' as const,
  }))
  if (places.length > 0) throw badFile('bad-workspace-file', placesIn(source, places))
}

const placeOfField = (before: Described | undefined, field: string): Path => {
  const collections = Object.entries(before?.definition.collections ?? {})
  const had = collections.find(([, { fields = {} }]) => Object.hasOwn(fields, field))
  return had ? ['collections', had[0], 'fields', field] : ['collections']
}

/** Throws 409 with the place when the file leaves nobody who administers the workspace and may sign in. */
export const refuseNoAdministrator = async (
  source: string,
  db: Db,
  file: WorkspaceFile,
  before: Described,
  after: Described,
): Promise<void> => {
  const administrators = ({ members }: Described) =>
    Object.keys(members).filter(email => members[email]?.roles.includes('administrator'))
  const stay = administrators(after)
  const stepDown = administrators(before).filter(email => !stay.includes(email))
  if (stepDown.length === 0) return
  for (const email of stay) if ((await findUserByEmail(db, email))?.disabled === 0) return
  const message =
    'the last administrator of a workspace cannot step down: make another one in the same file, or before'
  const places = stepDown.map(email => ({ path: ['members', writtenAs(file, email)], message }))
  throw badFile('conflict', placesIn(source, places))
}

/** Paths of the APIs that open to others than before, a new one that is public too: without an `access` one is the members'. */
export const accessChanges = (before: Definition, after: Definition): string[] =>
  Object.entries(after.apis ?? {})
    .filter(([name, { access = 'members' }]) => {
      const known = Object.hasOwn(before.apis ?? {}, name) ? before.apis?.[name] : undefined
      return access !== (known?.access ?? 'members')
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
