/** Finds the generation that answers a query under a configuration. */
import { makeEngineId } from '#storage/generations'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Collections } from './collections.ts'
import type { EngineGenerations } from './engine-generations.ts'
import type { GenerationEntry, GenerationRegistry } from './generation-registry.ts'
import { configuredChoice, definedSpecKey, findChosen, generationName } from './generation-rows.ts'

interface ResolverDependencies {
  registry: GenerationRegistry
  engineGenerations: EngineGenerations
}

export const createGenerationResolver = ({
  registry,
  engineGenerations: { registered },
}: ResolverDependencies): Collections['resolve'] => {
  /** The spec keys that versions of definitions need, by collection. */
  const specKeys = new WeakMap<WorkspaceRow, Map<string, string | undefined>>()
  /** Versions of definitions, with the collections for which the storage was already searched for a better generation. */
  const searched = new WeakMap<WorkspaceRow, Set<string>>()

  const cachedSpecKey = (workspace: WorkspaceRow, collection: string): string | undefined => {
    const keys = specKeys.get(workspace) ?? new Map<string, string | undefined>()
    specKeys.set(workspace, keys)
    if (!keys.has(collection)) keys.set(collection, definedSpecKey(workspace.definition, collection))
    return keys.get(collection)
  }
  /** The one with the fields of this version of the definition. During a change, a query may still have the version before it. */
  const findPromoted = (workspace: WorkspaceRow, collection: string): GenerationEntry | undefined => {
    const [serving, ...previous] = registry.findEntry(workspace.id, collection)?.promoted ?? []
    const key = cachedSpecKey(workspace, collection)
    if (!serving || serving.specKey === key) return serving
    const origin = serving.row.origin
    return previous.find(
      ({ id, row, specKey }) =>
        registered.has(id) && specKey === key && origin !== null && origin === (row.origin ?? row.number),
    )
  }
  const loadPromoted = async (
    workspace: WorkspaceRow,
    collection: string,
  ): Promise<GenerationEntry | undefined> => {
    await registry.whenLoaded(workspace.id)
    const searchedCollections = searched.get(workspace) ?? new Set()
    searched.set(workspace, searchedCollections)
    if (!findPromoted(workspace, collection) && !searchedCollections.has(collection)) {
      // The notice of another node's definition may arrive before that of its generations.
      searchedCollections.add(collection)
      // The next notice has it read again; until then memory counts.
      await registry.load(workspace.id).catch(() => {})
    }
    const key = cachedSpecKey(workspace, collection)
    const promoted = registry.findEntry(workspace.id, collection)?.promoted ?? []
    return (
      findPromoted(workspace, collection) ??
      promoted.find(({ id, specKey }) => registered.has(id) && specKey === key) ??
      promoted[0]
    )
  }
  return (workspace, collection, config) => {
    const choice = configuredChoice(workspace.definition, config, collection)
    if (choice === 'live') return findPromoted(workspace, collection) ?? loadPromoted(workspace, collection)
    const row = findChosen(registry.findEntry(workspace.id, collection)?.rows ?? [], choice)
    const id = row && makeEngineId(row)
    return row && id !== undefined && registered.has(id) ? { id, name: generationName(row) } : undefined
  }
}
