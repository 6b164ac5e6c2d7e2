/** What a plan of `apply` means for documents, where the list of changes alone does not show it. */
import { isDeepStrictEqual } from 'node:util'
import { listNames } from '@querent/contract/nearest-names'
import { type Collection, collectionChoices, type WorkspaceFile } from '@querent/contract/workspace-file'
import type { WorkspaceRow } from '#storage/workspaces'
import type { FileFinding } from '#workers/worker-tasks'
import type { ManagedCollections } from './call.ts'
import type { FullWorkspace } from './changes.ts'

/**
 * Collections that are removed with documents, and those whose documents no longer are as the file says: ids, classes, types of fields.
 * Each has its place in the file. To be asked before anything is written, outside of a transaction. Numbers of documents are not told: a row filter may hide them from who applies.
 */
export const documentWarnings = async (
  collections: Pick<ManagedCollections, 'list'>,
  workspace: WorkspaceRow,
  after: FullWorkspace,
): Promise<FileFinding[]> => {
  const warnings: FileFinding[] = []
  const { collections: newCollections = {} } = after.definition
  for (const [name, before] of Object.entries(workspace.definition.collections ?? {})) {
    const now = Object.hasOwn(newCollections, name) ? newCollections[name] : undefined
    const { fields: old = {} } = before
    const { fields = {} } = now ?? {}
    const retyped = Object.keys(old).filter(
      field => Object.hasOwn(fields, field) && fields[field]?.type !== old[field]?.type,
    )
    const rewritten = (['id', 'class'] as const).filter(key => !isDeepStrictEqual(now?.[key], before[key]))
    const idField = now && declaredId(now)
    const isIdNew = idField !== undefined && declaredId(before) === undefined
    if (now && retyped.length === 0 && rewritten.length === 0 && !isIdNew) continue
    const generations = await collections.list(workspace, name)
    if (generations.every(({ documents }) => documents === 0)) continue
    if (!now) {
      warnings.push({
        path: ['collections', name],
        message: `the collection ${name} is not named in the file: it is removed with its documents`,
      })
      continue
    }
    for (const key of rewritten)
      warnings.push({
        path: ['collections', name, key],
        message: `documents keep the ${key} that they were imported with; import them again, with --replace`,
      })
    if (isIdNew)
      warnings.push({
        path: ['collections', name, 'fields', idField],
        message:
          'documents were imported without their id as a field, and are not found by it; import them again, with --replace',
      })
    for (const field of retyped)
      warnings.push({
        path: ['collections', name, 'fields', field],
        message: `becomes ${fields[field]?.type}: documents with a value of another type are kept, and not found by this field`,
      })
  }
  return warnings
}

/** APIs that can answer nothing, because it is never clear whose documents are meant. Each has its place in the file. */
export const apiWarnings = ({ apis = {}, collections = {} }: WorkspaceFile): FileFinding[] => {
  const names = Object.keys(collections)
  if (names.length < 2) return []
  const warnings = Object.entries(apis).flatMap(([name, { endpoints = {} }]) => {
    const allEndpoints = Object.values(endpoints)
    if (allEndpoints.length === 0 || allEndpoints.some(endpoint => 'collection' in endpoint)) return []
    return [
      {
        path: ['apis', name],
        message: `no endpoint names a collection, and there are several (${listNames(names)}): the API can answer nothing until one does`,
      },
    ]
  })
  return warnings
}

/** A `default` configuration in which strangers of public APIs read other generations than it names. Has its place in the file. */
export const configurationWarnings = ({ apis = {}, configurations = {} }: WorkspaceFile): FileFinding[] => {
  const configuration = Object.hasOwn(configurations, 'default') ? configurations.default : undefined
  if (!configuration || configuration.public === true) return []
  if (!Object.values(apis).some(({ access }) => access === 'public')) return []
  if (collectionChoices(configuration).every(([, choice]) => choice === 'live')) return []
  return [
    {
      path: ['configurations', 'default'],
      message:
        'strangers of public APIs read what is live instead; add "public: true" to let them read what this configuration names',
    },
  ]
}

/** More than anybody reads. */
const synonymWarningsMax = 100

/** Members of sets of synonyms that have no word to look for: without letters and digits. Each has its place in the file. */
export const synonymWarnings = ({ collections = {} }: WorkspaceFile): FileFinding[] => {
  const warnings = Object.entries(collections).flatMap(([name, { synonyms = [] }]) =>
    synonyms.flatMap((set, index) => {
      const path = ['collections', name, 'synonyms', index]
      const lists = Array.isArray(set)
        ? [{ path, members: set }]
        : [
            { path: [...path, 'from'], members: set.from },
            { path: [...path, 'to'], members: set.to },
          ]
      return lists.flatMap(list => wordlessMembers(list.members, list.path))
    }),
  )
  return warnings.slice(0, synonymWarningsMax)
}

const wordlessMembers = (members: readonly string[], path: FileFinding['path']): FileFinding[] =>
  members.flatMap((member, index) =>
    /[\p{Alphabetic}\p{N}]/u.test(member)
      ? []
      : [
          {
            path: [...path, index],
            message: `the synonym ${JSON.stringify(member)} has no letters or digits: it has no effect`,
          },
        ],
  )

/** Name of the field of the id, where it is declared. */
const declaredId = ({ id, fields = {} }: Collection): string | undefined => {
  const field = id?.field ?? 'id'
  return Object.hasOwn(fields, field) ? field : undefined
}
