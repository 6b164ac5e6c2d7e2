/**
 * The definition as somebody exports and applies it from whom fields are hidden (workspace-file.md, Hidden fields): the hidden parts are not in
 * their file, and stay when they apply it. Pure.
 */
import { isDeepStrictEqual } from 'node:util'
import { describeFault } from '@querent/contract/fault-texts'
import { canonicalText } from '@querent/contract/plain-data'
import type { Api, Definition } from '@querent/contract/workspace-file'
import type { HiddenFields } from '#authz/hidden-fields'
import { visibleCollections, withoutHiddenEndpoints } from '#authz/without-hidden-fields'
import type { FileFinding } from './workspace-file-tasks.ts'

type Hidden = Pick<HiddenFields, 'fields'>

/** Returns the definition without hidden fields, endpoints on them alone, and the rules and tests that name them. */
export const visibleDefinition = (definition: Definition, hidden: Hidden): Definition => {
  const collections = visibleCollections(definition, hidden)
  const names = new Set([...hidden.fields.values()].flatMap(fields => [...fields]))
  const apis = Object.fromEntries(
    Object.entries(definition.apis ?? {}).map(([name, api]) => [
      name,
      withoutRules(withoutHiddenEndpoints(api, definition, collections), names),
    ]),
  )
  return {
    ...definition,
    ...(definition.collections && { collections }),
    ...(definition.apis && { apis }),
    ...(definition.tests && { tests: definition.tests.filter(test => isVisibleTest(test, apis, names)) }),
  }
}

const withoutRules = (api: Api, names: ReadonlySet<string>): Api =>
  api.curation ? { ...api, curation: api.curation.filter(rule => !isNaming(rule, names)) } : api

const isVisibleTest = (
  test: NonNullable<Definition['tests']>[number],
  apis: Readonly<Record<string, Api>>,
  names: ReadonlySet<string>,
): boolean =>
  !isNaming(test, names) &&
  Object.entries(apis).some(
    ([name, { endpoints = {} }]) =>
      (test.api === undefined || test.api === name) && Object.hasOwn(endpoints, test.endpoint),
  )

/** Whether a key, or the value of a key `field`, is one of the names, anywhere in the value. */
const isNaming = (value: unknown, names: ReadonlySet<string>): boolean => {
  if (Array.isArray(value)) return value.some(item => isNaming(item, names))
  if (!isMapping(value)) return false
  return Object.entries(value).some(
    ([key, inner]) =>
      names.has(key) ||
      (key === 'field' && typeof inner === 'string' && names.has(inner)) ||
      isNaming(inner, names),
  )
}

/**
 * Returns the definition after somebody applies `file`, which lacks the hidden parts. `faults`: what the file may not do, because a part
 * that the caller does not see would be replaced or lost.
 */
export const keepHiddenParts = (
  current: Definition,
  file: Definition,
  hidden: Hidden,
): { definition: Definition; faults: FileFinding[] } => {
  const faults: FileFinding[] = []
  const visible = visibleDefinition(current, hidden)
  const merged = mergeMapping({ ...visible }, { ...file }, { ...current }, [], faults)
  // Made of parts of two definitions. The caller lets the reader check the whole.
  return { definition: merged as unknown as Definition, faults }
}

type Mapping = Record<string, unknown>

/** `base`: what the caller sees of `current`. Changes from `base` to `next` are made in `current`. */
const mergeValue = (
  base: unknown,
  next: unknown,
  current: unknown,
  path: string[],
  faults: FileFinding[],
): unknown => {
  if (isDeepStrictEqual(base, next)) return current
  // Another kind of endpoint takes the place of the whole.
  if (isMapping(next) && isMapping(current) && next.kind === current.kind)
    return mergeMapping(isMapping(base) ? base : {}, next, current, path, faults)
  if (Array.isArray(next) && Array.isArray(current))
    return insertHidden(Array.isArray(base) ? base : [], next, current)
  return next
}

const mergeMapping = (
  base: Mapping,
  next: Mapping,
  current: Mapping,
  path: string[],
  faults: FileFinding[],
): Mapping => {
  const isHidden = (key: string) => Object.hasOwn(current, key) && !Object.hasOwn(base, key)
  for (const key of Object.keys(base))
    if (!Object.hasOwn(next, key) && isWhole(path) && !isDeepStrictEqual(base[key], current[key]))
      faults.push({ path: [...path, key], ...describeFault('removes-hidden', { name: key }) })
  const merged = new Map<string, unknown>()
  const sections = { ...next, ...lostSections(base, next, path) }
  for (const [key, value] of Object.entries(sections)) {
    const keyPath = [...path, key]
    if (isHidden(key) && !Array.isArray(value))
      faults.push({ path: keyPath, ...describeFault('name-in-use', { name: key }), target: 'key' })
    merged.set(
      key,
      Object.hasOwn(current, key) ? mergeValue(base[key], value, current[key], keyPath, faults) : value,
    )
  }
  const keys = insertHidden(Object.keys(base), Object.keys(sections), Object.keys(current))
  return Object.fromEntries(keys.map(key => [key, merged.has(key) ? merged.get(key) : current[key]]))
}

/** Sections that are absent because the caller has removed all that they see of them: hidden entries stay. */
const lostSections = (base: Mapping, next: Mapping, path: readonly string[]): Mapping =>
  Object.fromEntries(
    listSections(path)
      .filter(key => Object.hasOwn(base, key) && !Object.hasOwn(next, key))
      .map(key => [key, Array.isArray(base[key]) ? [] : {}]),
  )

const listSections = ([section, ...names]: readonly string[]): string[] => {
  if (section === undefined) return ['collections', 'apis', 'tests']
  if (names.length !== 1) return []
  return section === 'apis' ? ['endpoints', 'curation'] : section === 'collections' ? ['fields'] : []
}

/** Whether removing an entry would remove documents or endpoints that the caller does not see. */
const isWhole = (path: readonly string[]): boolean =>
  path.length === 1 && (path[0] === 'collections' || path[0] === 'apis')

/** Returns `next` with the items of `current` that `base` lacks, each behind the item that it follows now. Takes linear time. */
const insertHidden = <T>(base: readonly T[], next: readonly T[], current: readonly T[]): T[] => {
  const [visible, wanted] = [new Set(base.map(canonicalText)), new Set(next.map(canonicalText))]
  const first: T[] = []
  const followers = new Map<string, T[]>()
  let group: T[] = first
  for (const item of current) {
    const text = canonicalText(item)
    if (wanted.has(text)) {
      group = followers.get(text) ?? []
      followers.set(text, group)
    } else if (!visible.has(text)) group.push(item)
  }
  const result = [...first]
  for (const item of next) {
    const text = canonicalText(item)
    result.push(item, ...(followers.get(text) ?? []))
    followers.delete(text)
  }
  return result
}

const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
