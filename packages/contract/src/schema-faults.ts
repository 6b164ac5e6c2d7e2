/**
 * Describes the faults of a value by a schema for the person who wrote it. TypeBox's own errors name every branch of a union. Here the
 * intended branch is chosen first, by `kind`, `type` or the JSON type, and only its errors are reported.
 */
import { Check, Errors } from 'typebox/schema'
import {
  describeAlternatives,
  describeFault,
  describeRequired,
  type FaultText,
  type Hint,
} from './fault-texts.ts'
import { listNames, suggest, suggestName } from './nearest-names.ts'
import type { TSchema } from './schema.ts'
import {
  describeChoices,
  findTag,
  listChoices,
  listRequirements,
  type Schema,
} from './schema-requirements.ts'
import { isStorable } from './storable-text.ts'
import type { Path } from './workspace-source.ts'

/** One mistake, in the value at the path or in its key. */
export interface Fault extends FaultText {
  path: Path
  target: 'key' | 'value'
}

/** Limits the cost of a hostile file. */
const faultsMax = 100

/** Returns about the first 100 faults of `value`, roughly in its order; none if the schema accepts it. */
export const schemaFaults = (schema: TSchema, value: unknown): Fault[] => {
  const faults: Fault[] = []
  // TSchema is an empty interface; Type.* builds JSON Schema.
  check(schema as Schema, value, [], faults)
  // `Check` takes a fraction of the time of `Errors`, which follows every branch of every union.
  if (faults.length === 0 && !Check(schema, value)) {
    const [, [first]] = Errors(schema, value)
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
  const branches = schema.anyOf?.filter(branch => fits(branch, value)) ?? [schema]
  const choices = branches.flatMap(listChoices)
  if (choices.length > 0 && branches.every(branch => listChoices(branch).length > 0)) {
    if (!choices.includes(value)) faults.push({ path, ...notAllowed(schema, value), target: 'value' })
  } else if (branches.length > 1) {
    const branch = branchByTag(branches, value, path, faults)
    if (branch) check(branch, value, path, faults)
  } else {
    const [single] = branches
    if (single !== undefined && fits(single, value)) checkFitting(single, value, path, faults)
    else faults.push({ path, ...notAllowed(schema, value), target: 'value' })
  }
}

/** Checks a value whose type the schema has. */
const checkFitting = (schema: Schema, value: unknown, path: Path, faults: Fault[]): void => {
  if (Array.isArray(value)) checkList(schema, value, path, faults)
  else if (isMapping(value)) checkMapping(schema, value, path, faults)
  else if (!isAllowedScalar(schema, value))
    faults.push({ path, ...notAllowed(schema, value), target: 'value' })
  else if (typeof value === 'string' && schema.contentMediaType === undefined && !isStorable(value)) {
    const text = describeRequired(describeValue(value), [{ code: 'storable-text' }])
    faults.push({ path, ...text, target: 'value' })
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
      ...describeFault('misspelled-key', { key: misspelled }, { hint: 'suggestion', suggestion: tag }),
      target: 'key',
    }
  return {
    path,
    ...describeAlternatives('missing-key', { key: tag }, [describeChoices(tags)]),
    target: 'value',
  }
}

const checkMapping = (schema: Schema, value: Record<string, unknown>, path: Path, faults: Fault[]): void => {
  const { properties = {}, minProperties = 0, maxProperties = Number.POSITIVE_INFINITY } = schema
  const { length } = Object.keys(value)
  if (length < minProperties)
    faults.push({ path, ...describeFault('too-few-entries', { min: minProperties }), target: 'value' })
  if (length > maxProperties) {
    const text = describeFault('too-many-entries', { count: length, max: maxProperties })
    faults.push({ path, ...text, target: 'key' })
    return
  }
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name))
      faults.push({ path, ...describeMissing(name, properties[name] ?? {}), target: 'value' })
  for (const [name, inner] of Object.entries(value)) {
    if (faults.length >= faultsMax) return
    const property = Object.hasOwn(properties, name) ? (properties[name] ?? {}) : undefined
    const text = property ? undefined : describeKeyFault(schema, name)
    if (text) faults.push({ path: [...path, name], ...text, target: 'key' })
    else check(property ?? readPattern(schema)?.[1] ?? {}, inner, [...path, name], faults)
  }
}

/** The pattern of keys that are not among the properties, with the schema of their values. */
const readPattern = ({ patternProperties = {} }: Schema): [string, Schema] | undefined =>
  Object.entries(patternProperties)[0]

/** Says what is wrong with a key that is not among the properties. */
const describeKeyFault = (schema: Schema, name: string): FaultText | undefined => {
  const [pattern] = readPattern(schema) ?? []
  if (pattern === undefined) {
    const names = Object.keys(schema.properties ?? {})
    return describeFault('unknown-key', { key: name, names: listNames(names) }, suggest(name, names))
  }
  if (name === '' || !new RegExp(pattern).test(name)) return notAllowed({ type: 'string', pattern }, name)
  return isStorable(name) ? undefined : describeRequired(describeValue(name), [{ code: 'storable-text' }])
}

const checkList = (schema: Schema, value: unknown[], path: Path, faults: Fault[]): void => {
  const isTooLong = value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)
  if (value.length < (schema.minItems ?? 0) || isTooLong)
    faults.push({ path, ...explain(schema, String(value.length)), target: 'value' })
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
  const suggestion = typeof value === 'string' ? suggest(value, choices) : undefined
  return explain(schema, describeValue(value), suggestion ?? findWritingHint(schema, value))
}

const explain = (schema: Schema, found: string, hint?: Hint): FaultText => {
  const requirements = listRequirements(schema)
  return requirements
    ? describeRequired(found, requirements, hint)
    : describeUncoded(`found ${found}, allowed: `, schema)
}

const describeMissing = (key: string, schema: Schema): FaultText => {
  const requirements = listRequirements(schema)
  return requirements
    ? describeAlternatives('missing-key', { key }, requirements)
    : describeUncoded(`"${key}" is missing; allowed: `, schema)
}

/** Only the schema itself says what it requires. */
const describeUncoded = (start: string, { description, pattern }: Schema): FaultText => ({
  message: start + (description ?? `text like ${pattern}`),
})

/** Explains a value that YAML reads differently than its author meant. */
const findWritingHint = (schema: Schema, value: unknown): Hint | undefined => {
  const branches = schema.anyOf ?? [schema]
  const isText = (branch: Schema) => branch.type === 'string' && listChoices(branch).length === 0
  const isScalar = typeof value === 'number' || typeof value === 'boolean'
  if (isScalar && branches.some(branch => isText(branch) && isAllowedScalar(branch, String(value))))
    return { hint: 'quote-scalar' }
  const isMeantAsKey = typeof value === 'string' && /^[\w-]+:[^\s/]/.test(value)
  if (isMeantAsKey && branches.some(({ type }) => type === 'object')) return { hint: 'colon-space' }
  return undefined
}

/** Describes a value briefly, for a message. */
export const describeValue = (value: unknown): string => {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (isMapping(value)) return 'a mapping'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}
