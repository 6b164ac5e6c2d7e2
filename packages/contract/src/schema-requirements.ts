/** Describes what a schema requires, by codes of `fault-texts.ts`. */
import { colorPattern } from './branding.ts'
import { halfDistancePattern, halfLifePattern } from './endpoints.ts'
import type { Requirement } from './fault-texts.ts'
import { Email, EmailKey, slugPattern } from './manage/fields.ts'
import { listNames } from './nearest-names.ts'
import { metricPattern } from './relevance-tests.ts'
import { choiceNamePattern, keepDaysPattern, lifetimePattern } from './workspace-file.ts'
import { accountNamePattern, filterNamePattern, namePattern } from './workspace-names.ts'

/** The keywords of JSON Schema that the schemas of the workspace file use. */
export interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minProperties?: number
  maxProperties?: number
  pattern?: string
  /** The text is a file, whose reader checks its characters (JSON Schema validation, section 8.4). */
  contentMediaType?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  description?: string
}

const patternRequirements: Readonly<Record<string, Requirement>> = {
  [slugPattern]: { code: 'url-name' },
  [namePattern]: { code: 'name' },
  [accountNamePattern]: { code: 'account-name' },
  [filterNamePattern]: { code: 'filter-name' },
  [choiceNamePattern]: { code: 'name' },
  [(Email as Schema).pattern ?? '']: { code: 'email' },
  [(EmailKey as Schema).pattern ?? '']: { code: 'email' },
  '^.*$': { code: 'one-line' },
  [colorPattern]: { code: 'color' },
  [metricPattern]: { code: 'metric' },
  [halfLifePattern]: { code: 'half-life' },
  [halfDistancePattern]: { code: 'distance' },
  [lifetimePattern]: { code: 'duration-between', values: { min: '1m', max: '24h' } },
  [keepDaysPattern]: { code: 'duration-between', values: { min: '1d', max: '3650d' } },
}

/** Returns requirements of which one is enough; undefined if one of them has no code. */
export const listRequirements = (schema: Schema): Requirement[] | undefined => {
  const branches = schema.anyOf ?? [schema]
  const choices = branches.flatMap(listChoices)
  const shapes = branches.filter(branch => listChoices(branch).length === 0)
  const tag = shapes.length > 1 ? findTag(shapes) : undefined
  const requirements =
    tag === undefined
      ? shapes.map(branch => (branch.anyOf ? undefined : findRequirement(branch)))
      : [describeTags(tag, shapes)]
  if (choices.length > 0) requirements.push(describeChoices(choices))
  return requirements.every(requirement => requirement !== undefined) ? requirements : undefined
}

export const describeChoices = (choices: readonly unknown[]): Requirement => ({
  code: 'choice',
  values: { choices: choices.join(', ') },
})

const describeTags = (tag: string, branches: readonly Schema[]): Requirement => {
  const tags = branches.flatMap(({ properties }) => listChoices(properties?.[tag] ?? {}))
  return { code: 'tagged-mapping', values: { tag, tags: tags.join(', ') } }
}

const findRequirement = (schema: Schema): Requirement | undefined => {
  switch (schema.type) {
    case 'string':
      return findTextRequirement(schema)
    case 'number':
      return findNumberRequirement(schema)
    case 'integer':
      return findWholeNumberRequirement(schema)
    case 'boolean':
      return { code: 'boolean-value' }
    case 'null':
      return { code: 'null' }
    case 'array':
      return findListRequirement(schema)
    default: {
      const keys = Object.keys(schema.properties ?? {})
      return keys.length > 0
        ? { code: 'mapping-with', values: { keys: listNames(keys) } }
        : { code: 'mapping' }
    }
  }
}

const findTextRequirement = ({
  pattern,
  description,
  minLength = 0,
  maxLength,
}: Schema): Requirement | undefined => {
  if (pattern !== undefined) return patternRequirements[pattern]
  if (description !== undefined) return undefined
  return maxLength === undefined
    ? { code: 'text' }
    : { code: 'length', values: { min: minLength, max: maxLength } }
}

const findNumberRequirement = ({ minimum, exclusiveMinimum, maximum }: Schema): Requirement | undefined => {
  if (exclusiveMinimum !== undefined)
    return maximum === undefined
      ? { code: 'number-above', values: { min: exclusiveMinimum } }
      : { code: 'number-above-up-to', values: { min: exclusiveMinimum, max: maximum } }
  if (minimum === undefined) return maximum === undefined ? { code: 'number' } : undefined
  return maximum === undefined
    ? { code: 'number-from', values: { min: minimum } }
    : { code: 'number-between', values: { min: minimum, max: maximum } }
}

const findWholeNumberRequirement = ({ minimum, maximum }: Schema): Requirement | undefined => {
  if (minimum === undefined) return maximum === undefined ? { code: 'whole-number' } : undefined
  return maximum === undefined
    ? { code: 'whole-number-from', values: { min: minimum } }
    : { code: 'whole-number-between', values: { min: minimum, max: maximum } }
}

const findListRequirement = ({ items = {}, minItems = 0, maxItems }: Schema): Requirement => {
  const choices = (items.anyOf ?? [items]).flatMap(listChoices)
  if (maxItems !== undefined) return { code: 'list-length', values: { min: minItems, max: maxItems } }
  if (choices.length > 0)
    return { code: 'choice-list', values: { min: minItems, choices: choices.join(', ') } }
  return minItems > 0 ? { code: 'list-from', values: { min: minItems } } : { code: 'list' }
}

export const listChoices = (schema: Schema): unknown[] =>
  'const' in schema ? [schema.const] : (schema.enum ?? [])

/** Returns the name of the property that distinguishes the branches. */
export const findTag = (branches: Schema[]): string | undefined =>
  ['kind', 'type'].find(name => branches.every(({ properties }) => properties?.[name]))
