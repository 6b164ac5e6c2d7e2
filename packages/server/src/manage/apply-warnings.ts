/** Warnings about an `apply` plan that the list of changes does not show. */
import { isDeepStrictEqual } from 'node:util'
import { countMisfits } from '@querent/contract/count-misfits'
import { describeFault, type FaultText } from '@querent/contract/fault-texts'
import { listNames } from '@querent/contract/nearest-names'
import { type JsonObject, readPath } from '@querent/contract/read-path'
import {
  type Collection,
  collectionChoices,
  type Field,
  type WorkspaceFile,
} from '@querent/contract/workspace-file'
import { workspaceAccess } from '#authz/access'
import { isLimited, seesAllDocuments } from '#authz/rights'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Plan } from './apply-changes.ts'
import { changedNames, readWrittenEmails } from './apply-rules.ts'
import type { Call, ManagedCollections, ManagementDependencies } from './call.ts'
import type { FullWorkspace } from './changes.ts'
import { filterValueWarnings } from './filter-value-warnings.ts'
import type { FileFinding } from './workspace-file-tasks.ts'

/** All warnings that need the documents. */
export const listDocumentWarnings = async (
  deps: Pick<ManagementDependencies, 'directory' | 'collections'>,
  call: Pick<Call<'applyWorkspaceFile'>, 'principal'>,
  workspace: WorkspaceRow,
  file: WorkspaceFile,
  desired: FullWorkspace,
): Promise<FileFinding[]> => [
  ...(await documentWarnings(deps.collections, workspace, desired)),
  ...(await fieldWarnings(deps, call, workspace, desired)),
  ...(await filterValueWarnings(deps, call, workspace, file)),
]

/**
 * Warns about collections that are removed with documents, and about documents that no longer match the file:
 * ids, classes, types of fields. Call it before writing, outside of a transaction. Omits document counts,
 * because a row filter may hide them from the caller.
 */
const documentWarnings = async (
  collections: Pick<ManagedCollections, 'list'>,
  workspace: WorkspaceRow,
  desired: FullWorkspace,
): Promise<FileFinding[]> => {
  const warnings: FileFinding[] = []
  const { collections: newCollections = {} } = desired.definition
  for (const [name, oldCollection] of Object.entries(workspace.definition.collections ?? {})) {
    const newCollection = Object.hasOwn(newCollections, name) ? newCollections[name] : undefined
    const changes = newCollection
      ? changeWarnings(name, oldCollection, newCollection)
      : [{ path: ['collections', name], ...describeFault('removed-collection', { collection: name }) }]
    if (changes.length === 0) continue
    const generations = await collections.list(workspace, name)
    if (generations.some(({ documents }) => documents !== 0)) warnings.push(...changes)
  }
  return warnings
}

/** Warns about what stored documents keep from before the change of their collection. */
const changeWarnings = (name: string, before: Collection, after: Collection): FileFinding[] => {
  const { fields: oldFields = {} } = before
  const { fields = {} } = after
  const path = ['collections', name]
  const rewritten = (['id', 'class'] as const).filter(key => !isDeepStrictEqual(after[key], before[key]))
  const retyped = Object.keys(oldFields).filter(
    field => Object.hasOwn(fields, field) && fields[field]?.type !== oldFields[field]?.type,
  )
  const idField = declaredId(after)
  return [
    ...rewritten.map(key => ({ path: [...path, key], ...describeFault('kept-key', { key }) })),
    ...(idField !== undefined && declaredId(before) === undefined
      ? [{ path: [...path, 'fields', idField], ...describeFault('new-id-field') }]
      : []),
    ...retyped.map(field => ({
      path: [...path, 'fields', field],
      ...describeFault('retyped-field', { type: fields[field]?.type ?? '' }),
    })),
  ]
}

/** Documents whose values are compared with changed fields. */
const sampledDocuments = 1000

/** Warns about new fields without a value in the first stored documents, and about values that changed fields do not take, if the caller may read all documents. */
const fieldWarnings = async (
  { directory, collections }: Pick<ManagementDependencies, 'directory' | 'collections'>,
  { principal }: Pick<Call<'applyWorkspaceFile'>, 'principal'>,
  workspace: WorkspaceRow,
  { definition }: FullWorkspace,
): Promise<FileFinding[]> => {
  const member = await directory.member(workspace.id, principal.subject)
  const access = workspaceAccess(principal, workspace, member, 'edit')
  if (!access.allowed || !seesAllDocuments(access.rights)) return []
  const warnings: FileFinding[] = []
  // Examples are values, of which some may be hidden.
  const mayReadValues = !isLimited(access.rights)
  for (const [name, { fields = {} }] of Object.entries(definition.collections ?? {})) {
    const { fields: oldFields = {} } = workspace.definition.collections?.[name] ?? {}
    const changedFields = Object.entries(fields).filter(
      ([field, declared]) =>
        !Object.hasOwn(oldFields, field) || !isReadAlike(field, declared, oldFields[field]),
    )
    if (changedFields.length === 0) continue
    // The file is applied, whether the documents can be read or not.
    const documents = await collections.sample(workspace.id, name, sampledDocuments).catch(() => [])
    for (const [field, declared] of changedFields) {
      const isFormer = Object.hasOwn(oldFields, field)
      const fault =
        (isFormer ? undefined : findEmptyFault(documents, field, declared)) ??
        (mayReadValues ? findMisfitFault(documents, field, declared) : undefined)
      if (fault) warnings.push({ path: ['collections', name, 'fields', field], ...fault })
    }
  }
  return warnings
}

/** Keys that decide which values a field takes. */
const readingKeys = ['type', 'source', 'from', 'formats', 'decimal', 'pairs', 'listSeparator'] as const

/** Whether both definitions of a field read values in the same way. */
const isReadAlike = (name: string, field: Field, before: Field | undefined): boolean => {
  const pick = (definition: Partial<Record<(typeof readingKeys)[number], unknown>> = {}) =>
    readingKeys.map(key => (key === 'source' ? (definition[key] ?? name) : definition[key]))
  return isDeepStrictEqual(pick(field), pick(before))
}

/** Returns a fault if no document has a value for the field. */
const findEmptyFault = (
  documents: readonly JsonObject[],
  name: string,
  field: Field,
): FaultText | undefined => {
  const path = readSource(name, field)
  if (field.type === 'vector' || documents.length === 0) return undefined
  if (documents.some(document => (readPath(document, path) ?? null) !== null)) return undefined
  return describeFault('empty-field', { count: String(documents.length), name: JSON.stringify(path) })
}

/** Returns a fault if the field does not take some values of the documents. A place from two attributes has no value of its own. */
const findMisfitFault = (
  documents: readonly JsonObject[],
  name: string,
  field: Field,
): FaultText | undefined => {
  if (field.type === 'vector' || (field.type === 'geo' && field.from)) return undefined
  const { misfits, values, examples } = countMisfits(documents, name, field)
  if (misfits === 0) return undefined
  return describeFault('misfitting-values', {
    misfits: String(misfits),
    values: String(values),
    count: String(documents.length),
    examples: examples.map(example => JSON.stringify(example)).join(', '),
  })
}

/** Returns the path of the attribute that a field is made from. */
const readSource = (name: string, field: Field): string => {
  if (field.type === 'geo' && field.from) return field.from.lat
  return ('source' in field && field.source) || name
}

/** Warns about APIs that cannot answer, because no endpoint names one of several collections. */
export const apiWarnings = ({ apis = {}, collections = {} }: WorkspaceFile): FileFinding[] => {
  const names = Object.keys(collections)
  if (names.length < 2) return []
  const warnings = Object.entries(apis).flatMap(([name, { endpoints = {} }]) => {
    const allEndpoints = Object.values(endpoints)
    if (allEndpoints.length === 0 || allEndpoints.some(endpoint => 'collection' in endpoint)) return []
    return [
      {
        path: ['apis', name],
        ...describeFault('no-collection-named', { names: listNames(names) }),
      },
    ]
  })
  return warnings
}

/** Warns about a `default` configuration that anonymous callers of public APIs cannot use. */
export const configurationWarnings = ({ apis = {}, configurations = {} }: WorkspaceFile): FileFinding[] => {
  const configuration = Object.hasOwn(configurations, 'default') ? configurations.default : undefined
  if (!configuration || configuration.public === true) return []
  if (!Object.values(apis).some(({ access }) => access === 'public')) return []
  if (collectionChoices(configuration).every(([, choice]) => choice === 'live')) return []
  return [
    {
      path: ['configurations', 'default'],
      ...describeFault('default-not-public'),
    },
  ]
}

/** More than anybody reads. */
const synonymWarningsMax = 100

/** Warns about synonyms without letters, digits and emoji, which match nothing. */
export const synonymWarnings = ({ collections = {} }: WorkspaceFile): FileFinding[] => {
  const warnings = Object.entries(collections).flatMap(([name, { synonyms = [] }]) =>
    synonyms.flatMap((synonymSet, index) => {
      const path = ['collections', name, 'synonyms', index]
      const lists = Array.isArray(synonymSet)
        ? [{ path, members: synonymSet }]
        : [
            { path: [...path, 'from'], members: synonymSet.from },
            { path: [...path, 'to'], members: synonymSet.to },
          ]
      return lists.flatMap(list => wordlessMembers(list.members, list.path))
    }),
  )
  return warnings.slice(0, synonymWarningsMax)
}

const wordlessMembers = (members: readonly string[], path: FileFinding['path']): FileFinding[] =>
  members.flatMap((member, index) =>
    /[\p{Alphabetic}\p{N}\p{Emoji_Presentation}\p{Regional_Indicator}]/u.test(member)
      ? []
      : [
          {
            path: [...path, index],
            ...describeFault('wordless-synonym', { found: JSON.stringify(member) }),
          },
        ],
  )

/** Returns the name of the id field if it is declared. */
const declaredId = ({ id, fields = {} }: Collection): string | undefined => {
  const field = id?.field ?? 'id'
  return Object.hasOwn(fields, field) ? field : undefined
}

/** Warns that invitees are not members yet. */
export const invitationWarnings = (file: WorkspaceFile, { changes, invitees }: Plan): FileFinding[] => {
  const writtenEmails = readWrittenEmails(file)
  return changedNames(changes, 'members')
    .filter(email => invitees.has(email))
    .slice(0, invitationWarningsMax)
    .map(email => ({
      path: ['members', writtenEmails.get(email) ?? email],
      ...describeFault('unconfirmed-address', { email }),
    }))
}

/** More than anybody reads. */
export const invitationWarningsMax = 100
