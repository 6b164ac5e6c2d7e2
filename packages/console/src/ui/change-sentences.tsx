/** Says in words what changes in a workspace file. */
import { displayEmail } from '@querent/contract/email-address'
import type { Change } from '@querent/contract/manage'
import type { Curation, SynonymSet } from '@querent/contract/workspace-file'
import type { ReactNode } from 'react'
import { t, tCount } from '#i18n/translate.ts'
import { describeSynonyms } from './describe-synonyms.ts'
import { addsEntry, describeEntry, describeValueChange } from './entry-sentences.ts'
import { describeRuleChanges } from './rule-sentences.tsx'
import { formatField, isRecord, readLabel } from './value-words.ts'

/** Returns one or more sentences for the change. */
export const describeChange = (workspace: string | undefined, change: Change): ReactNode[] => {
  const [section = '', name = '', part, ...rest] = change.path.split('.')
  const place = { workspace, name, part, inner: rest.join('.') }
  // Addresses of people have dots.
  const entryName = change.path.slice(section.length + 1)
  switch (section) {
    case 'collections':
      return describeCollection(place, change)
    case 'apis':
      return describeApi(place, change)
    case 'tests':
      return describeTests(change)
    case 'groups':
      return [describeEntry(change, t('the group {name}', { name: entryName }))]
    case 'members':
      return [describeMember(change, displayEmail(entryName))]
    case 'applications':
      return [describeEntry(change, t('the application {name}', { name: entryName }))]
    case 'systemToSystem':
      return [describeEntry(change, t('the account {name}', { name: entryName }))]
    case 'configurations':
      return [describeEntry(change, t('the configuration {name}', { name: entryName }))]
    case 'settings':
      return [describeValueChange(change, readLabel(entryName), entryName)]
    case 'memberDefaults':
      return [describeEntry(change, t('the defaults of members'))]
    case 'identityProvider':
      return [describeEntry(change, t('the OpenID provider'))]
    case 'branding':
      return [describeEntry(change, t('the look of the sign-in pages'))]
    default:
      return [describeValueChange(change, readLabel(change.path), section)]
  }
}

interface Place {
  /** Undefined: documents have their ids. */
  workspace: string | undefined
  /** Name of the collection or API. */
  name: string
  part: string | undefined
  /** The rest of the path. */
  inner: string
}

const describeCollection = ({ name, part, inner }: Place, change: Change): ReactNode[] => {
  if (part === undefined) return [describeCollectionEntry(name, change)]
  if (part === 'fields' && inner !== '') {
    const { type, ...options } = readMapping(change.after)
    if (change.change === 'add')
      return [
        addsEntry(
          t('Adds the field {field} ({type}) to {name}', { field: inner, type: String(type), name }),
          options,
        ),
      ]
    return [describeEntry(change, t('the field {field} of {name}', { field: inner, name }))]
  }
  if (part === 'synonyms') return describeSynonymChanges(name, change)
  if (part === 'stopWords')
    return describeListChange(change, {
      added: words => t('Adds the stop words {words} to {name}', { words, name }),
      removed: words => t('Removes the stop words {words} from {name}', { words, name }),
    })
  return [describeValueChange(change, t('{part} of {name}', { part: readLabel(part), name }), part)]
}

const describeApi = ({ workspace, name, part, inner }: Place, change: Change): ReactNode[] => {
  if (part === undefined) return [describeApiEntry(name, change)]
  if (part === 'endpoints' && inner !== '') {
    const { kind, collection, title, ...options } = readMapping(change.after)
    if (change.change === 'add')
      return [
        addsEntry(
          t('Adds the endpoint {endpoint} ({kind}) to {name}', { endpoint: inner, kind: String(kind), name }),
          options,
        ),
      ]
    return [describeEntry(change, t('the endpoint {endpoint} of {name}', { endpoint: inner, name }))]
  }
  if (part === 'curation')
    return describeRuleChanges({
      workspace,
      api: name,
      // The schema of the file has checked them.
      before: readList(change.before) as Curation[],
      after: readList(change.after) as Curation[],
    })
  if (part === 'access')
    return [
      change.after === 'public'
        ? t('Opens the API {name} to everybody', { name })
        : t('Closes the API {name} to all but members', { name }),
    ]
  return [describeValueChange(change, t('{part} of {name}', { part: readLabel(part), name }), part)]
}

const describeMember = (change: Change, person: string): string => {
  const { roles } = readMapping(change.after)
  return change.change === 'add' && roles !== undefined
    ? t('Adds {person} as {roles}', { person, roles: formatField('roles', roles) })
    : describeEntry(change, person)
}

const describeCollectionEntry = (name: string, change: Change): string => {
  const { fields } = readMapping(change.after)
  return change.change === 'add' && isRecord(fields)
    ? tCount(
        // Copies of fields do not count, as on the collection's page.
        Object.values(fields).filter(field => readMapping(field).source === undefined).length,
        'Adds the collection {name} with {count} field',
        'Adds the collection {name} with {count} fields',
        { name },
      )
    : describeEntry(change, t('the collection {name}', { name }))
}

const describeApiEntry = (name: string, change: Change): string => {
  const { endpoints } = readMapping(change.after)
  return change.change === 'add' && isRecord(endpoints)
    ? tCount(
        Object.keys(endpoints).length,
        'Adds the API {name} with {count} endpoint',
        'Adds the API {name} with {count} endpoints',
        { name },
      )
    : describeEntry(change, t('the API {name}', { name }))
}

const readMapping = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})

const readList = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Returns what is only in the first list. */
const onlyIn = (list: readonly unknown[], other: readonly unknown[]): unknown[] => {
  const texts = new Set(other.map(item => JSON.stringify(item)))
  return list.filter(item => !texts.has(JSON.stringify(item)))
}

const compareLists = ({ before, after }: Change) => ({
  added: onlyIn(readList(after), readList(before)),
  removed: onlyIn(readList(before), readList(after)),
})

const describeListChange = (
  change: Change,
  say: { added: (words: string) => string; removed: (words: string) => string },
): string[] => {
  const { added, removed } = compareLists(change)
  return [
    ...(added.length > 0 ? [say.added(added.join(', '))] : []),
    ...(removed.length > 0 ? [say.removed(removed.join(', '))] : []),
  ]
}

const describeSynonymChanges = (name: string, change: Change): string[] => {
  const { added, removed } = compareLists(change)
  // As above.
  const say = (set: unknown) => describeSynonyms(set as SynonymSet)
  const [before, after] = [removed[0], added[0]]
  if (added.length === 1 && removed.length === 1)
    return [
      t('Changes the synonyms {before} of {name} to {after}', {
        before: say(before),
        after: say(after),
        name,
      }),
    ]
  const sentences = [
    ...added.map(set => t('Adds the synonyms {words} to {name}', { words: say(set), name })),
    ...removed.map(set => t('Removes the synonyms {words} from {name}', { words: say(set), name })),
  ]
  return sentences.length > 0 ? sentences : [t('Reorders the synonyms of {name}', { name })]
}

const describeTests = (change: Change): string[] => {
  const { added, removed } = compareLists(change)
  const rest = [...removed]
  const sentences = added.map(test => {
    const earlierTest = takeEarlierTest(test, rest, change)
    return earlierTest === undefined
      ? t('Adds the relevance test {test}', { test: readTestName(test) })
      : describeTestChange(readTestName(earlierTest), readTestName(test))
  })
  sentences.push(...rest.map(test => t('Removes the relevance test {test}', { test: readTestName(test) })))
  return sentences.length > 0 ? sentences : [t('Reorders the relevance tests')]
}

const describeTestChange = (before: string, test: string): string =>
  before === test
    ? t('Changes the relevance test {test}', { test })
    : t('Changes the relevance test {before} to {test}', { before, test })

/** Takes the test from `removed` that became this one: of the same name, or else at its place. */
const takeEarlierTest = (test: unknown, removed: unknown[], { before, after }: Change): unknown => {
  const [tests, earlierTests] = [readList(after), readList(before)]
  const inPlace = tests.length === earlierTests.length ? earlierTests[tests.indexOf(test)] : undefined
  const earlier =
    removed.find(other => readTestName(other) === readTestName(test)) ??
    removed.find(other => other === inPlace)
  if (earlier !== undefined) removed.splice(removed.indexOf(earlier), 1)
  return earlier
}

const readTestName = (test: unknown): string => {
  if (!isRecord(test)) return ''
  return typeof test.query === 'string' ? `“${test.query}”` : String(test.judgments ?? '')
}
