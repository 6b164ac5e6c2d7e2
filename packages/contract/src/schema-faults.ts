/**
 * Describes the faults of a value by a schema for the person who wrote it. TypeBox's own errors name every branch of a union. Here the
 * intended branch is chosen first, by `kind`, `type` or the JSON type, and only its errors are reported.
 */
import { Errors } from 'typebox/schema'
import {
  describeFault,
  describeNotAllowed,
  describeRequirement,
  type FaultText,
  type Requirement,
  type RequirementCode,
} from './fault-texts.ts'
import { Email, EmailKey, slugPattern } from './manage/fields.ts'
import { didYouMean, listNames, suggestName } from './nearest-names.ts'
import type { TSchema } from './schema.ts'
import { isStorable } from './storable-text.ts'
import { choiceNamePattern } from './workspace-file.ts'
import { accountNamePattern, filterNamePattern, namePattern } from './workspace-names.ts'
import type { Path } from './workspace-source.ts'

/** One mistake, in the value at the path or in its key. */
export interface Fault extends FaultText {
  path: Path
  target: 'key' | 'value'
}

/** The keywords of JSON Schema that the schemas of the workspace file use. */
interface Schema {
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

/** Limits the cost of a hostile file. */
const faultsMax = 100

/** Returns about the first 100 faults of `value`, roughly in its order; none if the schema accepts it. */
export const schemaFaults = (schema: TSchema, value: unknown): Fault[] => {
  const faults: Fault[] = []
  // TSchema is an empty interface; Type.* builds JSON Schema.
  check(schema as Schema, value, [], faults)
  if (faults.length === 0) {
    const [isRight, [first]] = Errors(schema, value)
    if (!isRight)
      faults.push({
        path: first?.instancePath.split('/').slice(1) ?? [],
        message: first?.message ?? 'is not allowed',
        target: 'value',
      })
  }
  return faults
}

const check = (schema: Schema, value: unknown, path: Path, faults: Fault[]): void => {
  if (faults.length >= faultsMax) return
  const addFault = (text: FaultText) => {
    faults.push({ path, ...text, target: 'value' })
  }
  const branches = schema.anyOf?.filter(branch => fits(branch, value)) ?? [schema]
  const choices = branches.flatMap(listChoices)
  if (choices.length > 0 && branches.every(branch => listChoices(branch).length > 0)) {
    if (!choices.includes(value)) addFault(notAllowed(schema, value))
  } else if (branches.length > 1) {
    const branch = branchByTag(branches, value, path, faults)
    if (branch) check(branch, value, path, faults)
  } else {
    const [single] = branches
    if (single === undefined || !fits(single, value)) addFault(notAllowed(schema, value))
    else if (Array.isArray(value)) checkList(single, value, path, faults)
    else if (isMapping(value)) checkMapping(single, value, path, faults)
    else if (!isAllowedScalar(single, value)) addFault(notAllowed(single, value))
    else if (typeof value === 'string' && single.contentMediaType === undefined && !isStorable(value))
      addFault(describeNotAllowed(describeValue(value), { code: 'storable-text' }))
  }
}

/**
 * Returns the branch with the `kind` or `type` of the value, or reports the one fault that no branch has it. Branches without either are
 * told apart by the names of their properties.
 */
const branchByTag = (branches: Schema[], value: unknown, path: Path, faults: Fault[]): Schema | undefined => {
  const tag = findTag(branches)
  if (!isMapping(value)) return branches[0]
  if (tag === undefined) {
    const countKnown = ({ properties = {} }: Schema) =>
      Object.keys(value).filter(name => Object.hasOwn(properties, name)).length
    return branches.toSorted((one, next) => countKnown(next) - countKnown(one))[0]
  }
  const tags = branches.flatMap(branch => listChoices(branch.properties?.[tag] ?? {}))
  const tagValue = Object.hasOwn(value, tag) ? value[tag] : undefined
  const branch = branches.find(({ properties }) => listChoices(properties?.[tag] ?? {}).includes(tagValue))
  if (branch) return branch
  if (tagValue === undefined) faults.push(describeMissingTag(value, tag, tags, path))
  else faults.push({ path: [...path, tag], ...notAllowed({ enum: tags }, tagValue), target: 'value' })
  return undefined
}

/** Keys of a mapping that are compared with the missing one. */
const comparedKeysMax = 100

/** Names the misspelled key, if there is one. */
const describeMissingTag = (
  value: Record<string, unknown>,
  tag: string,
  tags: readonly unknown[],
  path: Path,
): Fault => {
  const misspelled = Object.keys(value)
    .slice(0, comparedKeysMax)
    .find(name => suggestName(name, [tag]) !== undefined)
  if (misspelled !== undefined)
    return {
      path: [...path, misspelled],
      message: `unknown key "${misspelled}"; did you mean "${tag}"?`,
      target: 'key',
    }
  return { path, message: `"${tag}" is missing; allowed: ${tags.join(', ')}`, target: 'value' }
}

/** Returns the name of the property that distinguishes the branches. */
const findTag = (branches: Schema[]): string | undefined =>
  ['kind', 'type'].find(name => branches.every(({ properties }) => properties?.[name]))

const checkMapping = (schema: Schema, value: Record<string, unknown>, path: Path, faults: Fault[]): void => {
  const properties = schema.properties ?? {}
  const [patternEntry] = Object.entries(schema.patternProperties ?? {})
  const { length } = Object.keys(value)
  if (length < (schema.minProperties ?? 0))
    faults.push({ path, message: `found none, allowed: at least ${schema.minProperties}`, target: 'value' })
  if (schema.maxProperties !== undefined && length > schema.maxProperties) {
    faults.push({ path, message: `found ${length}, allowed: at most ${schema.maxProperties}`, target: 'key' })
    return
  }
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name))
      faults.push({
        path,
        message: `"${name}" is missing; allowed: ${allowed(properties[name] ?? {})}`,
        target: 'value',
      })
  for (const [name, inner] of Object.entries(value)) {
    if (faults.length >= faultsMax) return
    const innerPath = [...path, name]
    if (Object.hasOwn(properties, name)) check(properties[name] ?? {}, inner, innerPath, faults)
    else if (patternEntry === undefined) {
      const names = Object.keys(properties)
      faults.push({
        path: innerPath,
        message: `unknown key "${name}"; allowed: ${listNames(names)}${didYouMean(name, names)}`,
        target: 'key',
      })
    } else if (name === '' || !new RegExp(patternEntry[0]).test(name)) {
      faults.push({
        path: innerPath,
        ...notAllowed({ type: 'string', pattern: patternEntry[0] }, name),
        target: 'key',
      })
    } else if (isStorable(name)) check(patternEntry[1], inner, innerPath, faults)
    else
      faults.push({
        path: innerPath,
        ...describeNotAllowed(describeValue(name), { code: 'storable-text' }),
        target: 'key',
      })
  }
}

const checkList = (schema: Schema, value: unknown[], path: Path, faults: Fault[]): void => {
  const isTooLong = value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)
  if (value.length < (schema.minItems ?? 0) || isTooLong)
    faults.push({ path, ...explain(schema, `a list of ${value.length}`), target: 'value' })
  if (isTooLong) return
  const seenItems = new Set<unknown>()
  for (const [index, item] of value.entries()) {
    if (schema.uniqueItems && seenItems.has(item))
      faults.push({
        path: [...path, index],
        ...describeFault('duplicate-item', { found: describeValue(item) }),
        target: 'value',
      })
    seenItems.add(item)
    if (schema.items) check(schema.items, item, [...path, index], faults)
  }
}

const listChoices = (schema: Schema): unknown[] => ('const' in schema ? [schema.const] : (schema.enum ?? []))

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const jsonType = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

/** Returns whether the value has the JSON type of the schema. Ignores its content. */
const fits = (schema: Schema, value: unknown): boolean => {
  if (schema.anyOf) return schema.anyOf.some(branch => fits(branch, value))
  const [choice] = listChoices(schema)
  if (choice !== undefined) return jsonType(choice) === jsonType(value)
  if (schema.type === undefined) return true
  return jsonType(value) === (schema.type === 'integer' ? 'number' : schema.type)
}

/** Counts code points, as JSON Schema does (draft 2020-12 validation, section 6.3.1). */
const isWithinLength = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max)

const isAllowedScalar = (schema: Schema, value: unknown): boolean => {
  if (typeof value === 'string')
    return (
      value.length >= (schema.minLength ?? 0) &&
      isWithinLength(value, schema.maxLength ?? Number.POSITIVE_INFINITY) &&
      (schema.pattern === undefined || new RegExp(schema.pattern).test(value))
    )
  if (typeof value === 'number')
    return (
      Number.isFinite(value) &&
      (schema.type !== 'integer' || Number.isInteger(value)) &&
      value >= (schema.minimum ?? Number.NEGATIVE_INFINITY) &&
      value > (schema.exclusiveMinimum ?? Number.NEGATIVE_INFINITY) &&
      value <= (schema.maximum ?? Number.POSITIVE_INFINITY)
    )
  return true
}

const notAllowed = (schema: Schema, value: unknown): FaultText => {
  const choices = (schema.anyOf ?? [schema]).flatMap(listChoices).map(String)
  const suggestion = typeof value === 'string' ? didYouMean(value, choices) : ''
  return explain(schema, describeValue(value), suggestion || writingHint(schema, value))
}

const explain = (schema: Schema, found: string, hint = ''): FaultText => {
  const requirement = findRequirement(schema)
  return requirement
    ? describeNotAllowed(found, requirement, hint)
    : { message: `found ${found}, allowed: ${allowed(schema)}${hint}` }
}

/** Explains a value that YAML reads differently than its author meant. */
const writingHint = (schema: Schema, value: unknown): string => {
  const branches = schema.anyOf ?? [schema]
  const isText = (branch: Schema) => branch.type === 'string' && listChoices(branch).length === 0
  const isScalar = typeof value === 'number' || typeof value === 'boolean'
  if (isScalar && branches.some(branch => isText(branch) && isAllowedScalar(branch, String(value))))
    return '; put text that looks like a number, true or false in quotes'
  const isMeantAsKey = typeof value === 'string' && /^[\w-]+:[^\s/]/.test(value)
  if (isMeantAsKey && branches.some(({ type }) => type === 'object'))
    return '; a space is missing after the colon'
  return ''
}

/** Describes a value briefly, for a message. */
export const describeValue = (value: unknown): string => {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (isMapping(value)) return 'a mapping'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}

const patternCodes: Readonly<Record<string, RequirementCode>> = {
  [slugPattern]: 'url-name',
  [namePattern]: 'name',
  [accountNamePattern]: 'account-name',
  [filterNamePattern]: 'filter-name',
  [choiceNamePattern]: 'name',
  [(Email as Schema).pattern ?? '']: 'email',
  [(EmailKey as Schema).pattern ?? '']: 'email',
  '^.*$': 'one-line',
}

/** Returns what the schema requires, if it is simple enough to have a code. */
const findRequirement = (schema: Schema): Requirement | undefined => {
  const choices = (schema.anyOf ?? [schema]).map(listChoices)
  if (choices.every(branchChoices => branchChoices.length > 0))
    return { code: 'choice', values: { choices: choices.flat().join(', ') } }
  switch (schema.anyOf ? undefined : schema.type) {
    case 'string':
      return findTextRequirement(schema)
    case 'number':
      return findNumberRequirement(schema)
    case 'integer':
      return findWholeNumberRequirement(schema)
    case 'array':
      return findListRequirement(schema)
    default:
      return undefined
  }
}

const findTextRequirement = ({ pattern, description, minLength = 0, maxLength }: Schema) => {
  const code = pattern === undefined ? undefined : patternCodes[pattern]
  if (code) return { code }
  if (pattern !== undefined || description !== undefined || maxLength === undefined) return undefined
  return { code: 'length', values: { min: minLength, max: maxLength } } as const
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

const findListRequirement = ({ items = {}, minItems = 0, maxItems }: Schema): Requirement | undefined => {
  if (listChoices(items).length > 0 || items.anyOf) return undefined
  if (maxItems !== undefined) return { code: 'list-length', values: { min: minItems, max: maxItems } }
  return minItems > 0 ? { code: 'list-from', values: { min: minItems } } : undefined
}

const allowed = (schema: Schema): string => {
  const requirement = findRequirement(schema)
  if (requirement) return describeRequirement(requirement)
  if (schema.anyOf) {
    const branches = schema.anyOf
    const tag = findTag(branches)
    if (tag === undefined) return branches.map(allowed).join(' or ')
    return `a mapping with "${tag}": ${branches.flatMap(({ properties }) => listChoices(properties?.[tag] ?? {})).join(', ')}`
  }
  switch (schema.type) {
    case 'string':
      return schema.description ?? (schema.pattern ? `text like ${schema.pattern}` : 'text')
    case 'number':
      return `a number of at most ${schema.maximum}`
    case 'integer':
      return `a whole number of at most ${schema.maximum}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return listWords(schema)
    default: {
      const names = Object.keys(schema.properties ?? {})
      return schema.description ?? (names.length > 0 ? `a mapping with ${listNames(names)}` : 'a mapping')
    }
  }
}

const listWords = ({ items = {}, minItems = 0, maxItems }: Schema): string => {
  const choices = listChoices(items).length > 0 || items.anyOf ? ` (${allowed(items)})` : ''
  if (maxItems === undefined) return `a list${minItems > 0 ? ` of at least ${minItems}` : ''}${choices}`
  return `a list of ${minItems} to ${maxItems} items${choices}`
}
