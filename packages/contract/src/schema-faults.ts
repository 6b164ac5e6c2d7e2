/**
 * What is wrong with a value by a schema, in words for the person who wrote it. TypeBox's own errors name every branch of a union;
 * here the branch that was meant is found first, by `kind`, `type` or the JSON type, and only its errors are told.
 */
import { Errors } from 'typebox/schema'
import { Email, slugPattern } from './manage.ts'
import { didYouMean, listNames } from './nearest-names.ts'
import type { TSchema } from './schema.ts'
import { choiceNamePattern, namePattern } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** One thing that is wrong: at the value that the path leads to, or at the key it stands at. */
export interface Fault {
  path: Path
  message: string
  at: 'key' | 'value'
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
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  description?: string
}

/** More than anybody reads; a hostile file must not cost more. */
const faultsMax = 100

/** The faults of `value`, about in its order, the first 100 or so; none when the schema accepts it. */
export const schemaFaults = (schema: TSchema, value: unknown): Fault[] => {
  const faults: Fault[] = []
  // TSchema is an empty interface; what Type.* makes is JSON Schema.
  check(schema as Schema, value, [], faults)
  if (faults.length === 0) {
    const [isRight, [first]] = Errors(schema, value)
    if (!isRight)
      faults.push({
        path: first?.instancePath.split('/').slice(1) ?? [],
        message: first?.message ?? 'is not allowed',
        at: 'value',
      })
  }
  return faults
}

const check = (schema: Schema, value: unknown, path: Path, faults: Fault[]): void => {
  if (faults.length >= faultsMax) return
  const wrong = (message: string, where: Path = path, at: Fault['at'] = 'value') => {
    faults.push({ path: where, message, at })
  }
  const branches = schema.anyOf?.filter(branch => fits(branch, value)) ?? [schema]
  const choices = branches.flatMap(choicesOf)
  if (choices.length > 0 && branches.every(branch => choicesOf(branch).length > 0)) {
    if (!choices.includes(value)) wrong(notAllowed(schema, value))
  } else if (branches.length > 1) {
    const branch = branchByTag(branches, value, path, faults)
    if (branch) check(branch, value, path, faults)
  } else {
    const [only] = branches
    if (only === undefined || !fits(only, value)) wrong(notAllowed(schema, value))
    else if (Array.isArray(value)) checkList(only, value, path, faults)
    else if (isMapping(value)) checkMapping(only, value, path, faults)
    else if (!isAllowedScalar(only, value)) wrong(notAllowed(only, value))
  }
}

/** The branch whose `kind` or `type` is that of the value. When there is none, that is the one fault. */
const branchByTag = (branches: Schema[], value: unknown, path: Path, faults: Fault[]): Schema | undefined => {
  const tag = tagOf(branches)
  if (tag === undefined || !isMapping(value)) return branches[0]
  const tags = branches.flatMap(branch => choicesOf(branch.properties?.[tag] ?? {}))
  const found = Object.hasOwn(value, tag) ? value[tag] : undefined
  const branch = branches.find(({ properties }) => choicesOf(properties?.[tag] ?? {}).includes(found))
  if (branch) return branch
  if (found === undefined)
    faults.push({ path, message: `"${tag}" is missing; allowed: ${tags.join(', ')}`, at: 'value' })
  else faults.push({ path: [...path, tag], message: notAllowed({ enum: tags }, found), at: 'value' })
  return undefined
}

/** What tells the branches apart. */
const tagOf = (branches: Schema[]): string | undefined =>
  ['kind', 'type'].find(name => branches.every(({ properties }) => properties?.[name]))

const checkMapping = (schema: Schema, value: Record<string, unknown>, path: Path, faults: Fault[]): void => {
  const properties = schema.properties ?? {}
  const [named] = Object.entries(schema.patternProperties ?? {})
  const { length } = Object.keys(value)
  if (length < (schema.minProperties ?? 0))
    faults.push({ path, message: `found none, allowed: at least ${schema.minProperties}`, at: 'value' })
  if (schema.maxProperties !== undefined && length > schema.maxProperties) {
    faults.push({ path, message: `found ${length}, allowed: at most ${schema.maxProperties}`, at: 'key' })
    return
  }
  for (const name of schema.required ?? [])
    if (!Object.hasOwn(value, name))
      faults.push({
        path,
        message: `"${name}" is missing; allowed: ${allowed(properties[name] ?? {})}`,
        at: 'value',
      })
  for (const [name, inner] of Object.entries(value)) {
    if (faults.length >= faultsMax) return
    const here = [...path, name]
    if (Object.hasOwn(properties, name)) check(properties[name] ?? {}, inner, here, faults)
    else if (named === undefined) {
      const names = Object.keys(properties)
      faults.push({
        path: here,
        message: `"${name}" is not known here; allowed: ${listNames(names)}${didYouMean(name, names)}`,
        at: 'key',
      })
    } else if (name === '' || !new RegExp(named[0]).test(name)) {
      faults.push({ path: here, message: notAllowed({ type: 'string', pattern: named[0] }, name), at: 'key' })
    } else check(named[1], inner, here, faults)
  }
}

const checkList = (schema: Schema, value: unknown[], path: Path, faults: Fault[]): void => {
  const isTooLong = value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY)
  if (value.length < (schema.minItems ?? 0) || isTooLong)
    faults.push({
      path,
      message: `found a list of ${value.length}, allowed: ${allowed(schema)}`,
      at: 'value',
    })
  if (isTooLong) return
  const seen = new Set<unknown>()
  for (const [index, item] of value.entries()) {
    if (schema.uniqueItems && seen.has(item))
      faults.push({
        path: [...path, index],
        message: `${shown(item)} stands here a second time`,
        at: 'value',
      })
    seen.add(item)
    if (schema.items) check(schema.items, item, [...path, index], faults)
  }
}

const choicesOf = (schema: Schema): unknown[] => ('const' in schema ? [schema.const] : (schema.enum ?? []))

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const typeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value

/** Whether the value has the JSON type of the schema; what is in it is not looked at. */
const fits = (schema: Schema, value: unknown): boolean => {
  if (schema.anyOf) return schema.anyOf.some(branch => fits(branch, value))
  const [choice] = choicesOf(schema)
  if (choice !== undefined) return typeOf(choice) === typeOf(value)
  if (schema.type === undefined) return true
  return typeOf(value) === (schema.type === 'integer' ? 'number' : schema.type)
}

/** In code points, as JSON Schema counts (draft 2020-12 validation, section 6.3.1). */
const isNoLonger = (text: string, max: number): boolean =>
  text.length <= max || (text.length <= 2 * max && [...text].length <= max)

const isAllowedScalar = (schema: Schema, value: unknown): boolean => {
  if (typeof value === 'string')
    return (
      value.length >= (schema.minLength ?? 0) &&
      isNoLonger(value, schema.maxLength ?? Number.POSITIVE_INFINITY) &&
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

const notAllowed = (schema: Schema, value: unknown): string => {
  const choices = (schema.anyOf ?? [schema]).flatMap(choicesOf).map(String)
  const meant = typeof value === 'string' ? didYouMean(value, choices) : ''
  return `found ${shown(value)}, allowed: ${allowed(schema)}${meant || writingHint(schema, value)}`
}

/** What YAML read as something else than was meant. */
const writingHint = (schema: Schema, value: unknown): string => {
  const branches = schema.anyOf ?? [schema]
  const isText = (branch: Schema) => branch.type === 'string' && choicesOf(branch).length === 0
  const isScalar = typeof value === 'number' || typeof value === 'boolean'
  if (isScalar && branches.some(branch => isText(branch) && isAllowedScalar(branch, String(value))))
    return '; a text that looks like a number, true or false stands in quotes'
  const isMeantAsKey = typeof value === 'string' && /^[\w-]+:[^\s/]/.test(value)
  if (isMeantAsKey && branches.some(({ type }) => type === 'object'))
    return '; a space is missing after the colon'
  return ''
}

/** A value as it is named in a message, short. */
export const shown = (value: unknown): string => {
  if (value === null || value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  if (isMapping(value)) return 'a mapping'
  if (typeof value !== 'string') return String(value)
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value)
}

const patternWords: Readonly<Record<string, string>> = {
  [slugPattern]: '1 to 63 of a-z 0-9 -',
  [namePattern]: 'a name of 1 to 63 of A-Z a-z 0-9 - _',
  [choiceNamePattern]: 'a name of 1 to 63 of A-Z a-z 0-9 - _',
  [(Email as Schema).pattern ?? '']: 'an e-mail address',
  '^.*$': 'a name of one line',
}

const allowed = (schema: Schema): string => {
  const choices = (schema.anyOf ?? [schema]).map(choicesOf)
  if (choices.every(some => some.length > 0)) return choices.flat().join(', ')
  if (schema.anyOf) {
    const branches = schema.anyOf
    const tag = tagOf(branches)
    if (tag === undefined) return branches.map(allowed).join(' or ')
    return `a mapping with "${tag}": ${branches.flatMap(({ properties }) => choicesOf(properties?.[tag] ?? {})).join(', ')}`
  }
  switch (schema.type) {
    case 'string': {
      const known = schema.pattern && patternWords[schema.pattern]
      const words = schema.pattern && `text like ${schema.pattern}`
      const long =
        schema.maxLength === undefined ? '' : ` of ${schema.minLength ?? 0} to ${schema.maxLength} characters`
      return known || (schema.description ?? words ?? `text${long}`)
    }
    case 'number':
    case 'integer': {
      const low =
        schema.exclusiveMinimum === undefined ? schema.minimum : `more than ${schema.exclusiveMinimum}`
      const bounds = [low, schema.maximum].filter(bound => bound !== undefined).join(' to ')
      return `${schema.type === 'integer' ? 'a whole number' : 'a number'}${bounds && `, ${bounds}`}`
    }
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
  const choices = choicesOf(items).length > 0 || items.anyOf ? ` (${allowed(items)})` : ''
  if (maxItems === undefined) return `a list${minItems > 0 ? ` of at least ${minItems}` : ''}${choices}`
  return `a list of ${minItems} to ${maxItems} items${choices}`
}
