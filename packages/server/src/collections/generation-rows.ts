/** Which of a collection's generations is which: pure reading of their rows (workspace-file.md, configurations). */
import type { Definition } from '@querent/contract/workspace-file'
import type { GenerationSpec } from '#engines/engine'
import type { GenerationRow } from '#storage/generations'
import { generationSpec } from './generation-spec.ts'

/** Complete generations that a collection keeps besides the live one and the one that was live before it. */
export const keepGenerationsDefault = 3

/** As status, configurations and the command line name it: `1`, `2`, … */
export const nameOf = ({ number }: GenerationRow): string => String(number)

export const specOf = (row: GenerationRow): GenerationSpec =>
  // Written by `createGeneration` and `saveGenerationSpec`, which are handed a GenerationSpec alone.
  JSON.parse(row.spec_json) as GenerationSpec

/** Equal for specs that an engine cannot tell apart: the order of fields means nothing to it. */
export const specKey = ({ fields, synonyms }: GenerationSpec): string => {
  const sorted = fields
    .map(({ name, ...others }) => [name, Object.entries(others).sort()] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify([sorted, synonyms])
}

/** The key of the spec that a definition asks for; undefined when it has no such collection. */
export const wantedSpecKey = (definition: Definition, collection: string): string | undefined =>
  Object.hasOwn(definition.collections ?? {}, collection)
    ? specKey(generationSpec(definition, collection))
    : undefined

/** By when they were promoted, the last first; those that never were are left out. */
export const promotedOf = (rows: readonly GenerationRow[]): GenerationRow[] =>
  rows
    .filter(({ state, promoted_at }) => state === 'ready' && promoted_at !== null)
    .sort((one, other) => (other.promoted_at ?? 0) - (one.promoted_at ?? 0))

/** The newest complete one. What took over another's documents when fields changed is as new as they are. */
export const latestOf = (rows: readonly GenerationRow[]): GenerationRow | undefined =>
  rows
    .filter(({ state }) => state === 'ready')
    .sort(
      (one, other) =>
        (other.origin ?? other.number) - (one.origin ?? one.number) || other.number - one.number,
    )[0]

/** `live`, `latest` or a generation's name. */
export const choiceOf = ({ configurations = {} }: Definition, config: string, collection: string): string => {
  const configuration = Object.hasOwn(configurations, config) ? configurations[config] : undefined
  const choice =
    configuration && Object.hasOwn(configuration, collection) ? configuration[collection] : undefined
  // `public: true` is a mark, unless a collection of that name has a choice.
  return typeof choice === 'string' ? choice : 'live'
}

/** The complete generation that a choice names, of one collection's rows. */
export const chosen = (rows: readonly GenerationRow[], choice: string): GenerationRow | undefined => {
  if (choice === 'live') return promotedOf(rows)[0]
  if (choice === 'latest') return latestOf(rows)
  return rows.find(row => row.state === 'ready' && nameOf(row) === choice)
}

/** All names that a request's `config` may have. */
export const configurationNames = ({ configurations = {} }: Definition): string[] => [
  ...new Set(['default', ...Object.keys(configurations)]),
]

/** Of one collection's rows, newest first: those that some configuration answers with. */
export const answeringRows = (
  rows: readonly GenerationRow[],
  definition: Definition,
  collection: string,
): GenerationRow[] => {
  const choices = new Set(configurationNames(definition).map(name => choiceOf(definition, name, collection)))
  choices.add('live')
  return [...new Set([...choices].flatMap(choice => chosen(rows, choice) ?? []))]
}

/** Whether all collections have a live generation, and none but them; those that answer have the fields that are defined, and nothing is left over. */
export const isInLine = (rows: readonly GenerationRow[], definition: Definition): boolean => {
  const complete = Map.groupBy(
    rows.filter(({ state }) => state === 'ready'),
    row => row.collection,
  )
  const names = Object.keys(definition.collections ?? {})
  if ([...complete.keys()].some(name => !names.includes(name))) return false
  return names.every(name => {
    const own = complete.get(name) ?? []
    const key = wantedSpecKey(definition, name)
    return (
      promotedOf(own).length > 0 &&
      answeringRows(own, definition, name).every(row => specKey(specOf(row)) === key) &&
      surplusRows(own, definition, name).length === 0
    )
  })
}

/**
 * Of one collection's rows, newest first: complete ones that nothing keeps. Kept are the live one, the one that was live before it, so
 * that a rollback is always possible, the newest of the others (`settings.keepGenerations`), and those that a configuration names.
 */
export const surplusRows = (
  rows: readonly GenerationRow[],
  definition: Definition,
  collection: string,
): GenerationRow[] => {
  const complete = rows.filter(({ state }) => state === 'ready')
  const rollback = promotedOf(complete).slice(0, 2)
  const others = complete.filter(row => !rollback.includes(row))
  const kept = new Set([
    ...rollback,
    ...others.slice(0, definition.settings?.keepGenerations ?? keepGenerationsDefault),
    ...answeringRows(rows, definition, collection),
    ...[latestOf(rows)].filter(row => row !== undefined),
  ])
  return complete.filter(row => !kept.has(row))
}
