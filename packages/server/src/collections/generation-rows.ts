/** Pure functions on the rows of generations: which is live, which answers under a configuration, which is surplus (workspace-file.md). */
import type { Definition } from '@querent/contract/workspace-file'
import type { GenerationSpec } from '#engines/engine'
import type { GenerationRow } from '#storage/generations'
import { generationSpec } from './generation-spec.ts'

/** How many complete generations a collection keeps in addition to the live one and the one that was live before it. */
export const keepGenerationsDefault = 3

/** Its name in status, configurations and the command line: `1`, `2`, … */
export const generationName = ({ number }: GenerationRow): string => String(number)

export const readSpec = (row: GenerationRow): GenerationSpec =>
  // `createGeneration` and `saveGenerationSpec` write it, and receive nothing but a GenerationSpec.
  JSON.parse(row.spec_json) as GenerationSpec

/** Equal for specs that mean the same to an engine: the order of fields doesn't matter to it. Specs of earlier versions had synonyms. */
export const specKey = ({ fields, reading = {} }: GenerationSpec): string => {
  const sorted = fields
    .map(({ name, ...properties }) => [name, Object.entries(properties).sort()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const rules = Object.entries(reading).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(rules.length === 0 ? [sorted] : [sorted, rules])
}

/** The key of the spec that a definition needs. Undefined if it has no such collection. */
export const definedSpecKey = (definition: Definition, collection: string): string | undefined =>
  Object.hasOwn(definition.collections ?? {}, collection)
    ? specKey(generationSpec(definition, collection))
    : undefined

/** Complete generations that were ever promoted, the last promoted first. */
export const sortPromoted = (rows: readonly GenerationRow[]): GenerationRow[] =>
  rows
    .filter(({ state, promoted_at }) => state === 'ready' && promoted_at !== null)
    .sort((a, b) => (b.promoted_at ?? 0) - (a.promoted_at ?? 0))

/** The newest complete generation. One that was copied because fields changed counts as new as its original. */
export const findLatest = (rows: readonly GenerationRow[]): GenerationRow | undefined =>
  rows
    .filter(({ state }) => state === 'ready')
    .sort((a, b) => (b.origin ?? b.number) - (a.origin ?? a.number) || b.number - a.number)[0]

/** Returns `live`, `latest` or a generation's name. */
export const configuredChoice = (
  { configurations = {} }: Definition,
  config: string,
  collection: string,
): string => {
  const configuration = Object.hasOwn(configurations, config) ? configurations[config] : undefined
  const choice =
    configuration && Object.hasOwn(configuration, collection) ? configuration[collection] : undefined
  // A boolean is the configuration's `public: true`, not the choice of a collection with the name `public`.
  return typeof choice === 'string' ? choice : 'live'
}

/** Finds the complete generation for a choice among the rows of one collection. */
export const findChosen = (rows: readonly GenerationRow[], choice: string): GenerationRow | undefined => {
  if (choice === 'live') return sortPromoted(rows)[0]
  if (choice === 'latest') return findLatest(rows)
  return rows.find(row => row.state === 'ready' && generationName(row) === choice)
}

/** All names that a request's `config` may have. */
export const configurationNames = ({ configurations = {} }: Definition): string[] => [
  ...new Set(['default', ...Object.keys(configurations)]),
]

/** The generations that answer under some configuration, from the rows of one collection, newest first. */
export const answeringRows = (
  rows: readonly GenerationRow[],
  definition: Definition,
  collection: string,
): GenerationRow[] => {
  const choices = new Set(
    configurationNames(definition).map(name => configuredChoice(definition, name, collection)),
  )
  choices.add('live')
  return [...new Set([...choices].flatMap(choice => findChosen(rows, choice) ?? []))]
}

/**
 * True if the generations match the definition. Each defined collection has a live generation, and no other collection has any. Every
 * generation that answers has the defined fields, and none is surplus.
 */
export const isReconciled = (rows: readonly GenerationRow[], definition: Definition): boolean => {
  const completeByCollection = Map.groupBy(
    rows.filter(({ state }) => state === 'ready'),
    row => row.collection,
  )
  const names = Object.keys(definition.collections ?? {})
  if ([...completeByCollection.keys()].some(name => !names.includes(name))) return false
  return names.every(name => {
    const complete = completeByCollection.get(name) ?? []
    const key = definedSpecKey(definition, name)
    return (
      sortPromoted(complete).length > 0 &&
      answeringRows(complete, definition, name).every(row => specKey(readSpec(row)) === key) &&
      surplusRows(complete, definition, name).length === 0
    )
  })
}

/**
 * Complete generations to drop, from the rows of one collection, newest first. These stay:
 * - the live one, and the one that was live before it, so that a rollback is always possible
 * - the newest others (`settings.keepGenerations`), and the latest
 * - those that a configuration names
 */
export const surplusRows = (
  rows: readonly GenerationRow[],
  definition: Definition,
  collection: string,
): GenerationRow[] => {
  const complete = rows.filter(({ state }) => state === 'ready')
  const rollbackRows = sortPromoted(complete).slice(0, 2)
  const otherRows = complete.filter(row => !rollbackRows.includes(row))
  const retained = new Set([
    ...rollbackRows,
    ...otherRows.slice(0, definition.settings?.keepGenerations ?? keepGenerationsDefault),
    ...answeringRows(rows, definition, collection),
    ...[findLatest(rows)].filter(row => row !== undefined),
  ])
  return complete.filter(row => !retained.has(row))
}
