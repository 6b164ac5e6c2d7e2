/** Brings the text of a workspace file up to date and keeps its comments and its layout. */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  parseDocument,
  type ToStringOptions,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { describeFile } from './describe-file.ts'
import { mergeLayout } from './line-merge.ts'
import type { WorkspaceFile } from './workspace-file.ts'
import { workspaceLimits } from './workspace-limits.ts'

/** Sections that only administrators read (authorization-server.md, Members and roles). */
export const administratorSections = [
  'members',
  'applications',
  'systemToSystem',
  'identityProvider',
  'settings',
] as const

type Plain = Record<string, unknown>

/** What {@link patchWorkspaceText} works with. */
export interface TextPatch {
  /** A file that the reader has accepted. */
  source: string
  /** What the text is to say. */
  file: WorkspaceFile
  /** Whether the sections of administrators go, with every comment before, in and after them. */
  isReduced?: boolean
}

/**
 * The text with what differs from `file` changed, and all else as it is; the same text where nothing differs. Read as a file it says the same
 * as `file`. Undefined where that cannot be had, by an alias of something that is gone, say: then `file` has to be written out.
 */
export const patchWorkspaceText = ({ source, file, isReduced = false }: TextPatch): string | undefined => {
  try {
    const text = isReduced ? withoutSections(source) : source
    if (text === undefined) return undefined
    const current = readJson(text) ?? parse(text).toJS({ maxAliasCount: aliasesMax })
    if (!isPlain(current)) return undefined
    const wanted = inFormOf(current as unknown as WorkspaceFile, file)
    if (isEqual(current, wanted)) return text
    const candidates = readJson(text) ? [writeJson(text, wanted)] : writeYaml(text, current, wanted)
    return candidates.find(candidate => says(candidate, file))
  } catch {
    // The text was accepted by an earlier version of the reader, or the edit took an anchor that something refers to.
    return undefined
  }
}

/**
 * `next` with the administrators' sections of `previous` that it does not have: who may not read them applies a file without them. Returns
 * `next` where the two texts cannot be joined.
 */
export const carrySections = ({ previous, next }: { previous: string; next: string }): string => {
  try {
    const names = new Set(rootSections(next)?.map(({ name }) => name))
    if (names.size === 0) return next
    const carried = (rootSections(previous) ?? [])
      .filter(({ name }) => isOfAdministrators(name) && !names.has(name))
      .map(({ from, to }) => previous.slice(from, to).trimEnd())
    if (carried.length === 0) return next
    const joined = `${[next.trimEnd(), ...carried].join('\n')}\n`
    parse(joined)
    return new TextEncoder().encode(joined).length > workspaceLimits.fileBytes ? next : joined
  } catch {
    return next
  }
}

const aliasesMax = 100

const isOfAdministrators = (name: string): boolean => administratorSections.some(section => section === name)

/** Throws where it is no YAML. */
const parse = (text: string): Document => {
  // Duplicate keys are looked for by the reader, faster.
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false, stringKeys: true })
  const [error] = document.errors
  if (error) throw error
  return document
}

const readJson = (text: string): Plain | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isPlain(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether the text is a file that says the same. */
const says = (text: string, file: WorkspaceFile): boolean => {
  try {
    const read = parse(text).toJS({ maxAliasCount: aliasesMax }) as WorkspaceFile
    return isEqual(describeFile(read), describeFile(file))
  } catch {
    return false
  }
}

/** `file` in the spelling of the text: what both say stays as it is written. */
const inFormOf = (text: WorkspaceFile, file: WorkspaceFile): Plain => {
  const said = describeFile(text)
  const wanted = describeFile(file)
  const { members, applications, systemToSystem } = text
  const spelled: Plain = {
    ...wanted.definition,
    ...section('members', members, said.members, wanted.members, email => email.trim().toLowerCase()),
    ...section('applications', applications, said.applications, wanted.applications),
    ...section('systemToSystem', systemToSystem, said.systemToSystem, wanted.systemToSystem),
  }
  const keys = new Set([...Object.keys(text), ...Object.keys(spelled)])
  return Object.fromEntries(
    [...keys].flatMap(key => (Object.hasOwn(spelled, key) ? [[key, spelled[key]] as const] : [])),
  )
}

const section = (
  name: string,
  text: Readonly<Record<string, unknown>> | undefined,
  said: Readonly<Record<string, object>>,
  wanted: Readonly<Record<string, object>>,
  fold = (key: string) => key,
): Plain => {
  if (text === undefined && Object.keys(wanted).length === 0) return {}
  const written = Object.keys(text ?? {}).filter(key => Object.hasOwn(wanted, fold(key)))
  const isWritten = new Set(written.map(fold))
  const added = Object.keys(wanted).filter(key => !isWritten.has(key))
  const entries = [
    ...written.map(
      key => [key, entryInFormOf(text?.[key], said[fold(key)] ?? {}, wanted[fold(key)] ?? {})] as const,
    ),
    ...added.map(key => [key, shortForm(name, wanted[key])] as const),
  ]
  return { [name]: Object.fromEntries(entries) }
}

/** A member without a row filter is the list of their roles. */
const shortForm = (name: string, entry: unknown): unknown =>
  name === 'members' && isPlain(entry) && entry.filter === undefined ? entry.roles : entry

const entryInFormOf = (text: unknown, saidEntry: object, wantedEntry: object): unknown => {
  // Plain data that describeFile made.
  const [said, wanted] = [saidEntry as Plain, wantedEntry as Plain]
  if (isEqual(said, wanted)) return text
  if (Array.isArray(text)) return wanted.filter === undefined ? wanted.roles : wanted
  const own = isPlain(text) ? text : {}
  const keys = [...new Set([...Object.keys(own), ...Object.keys(wanted)])]
  return Object.fromEntries(
    keys.flatMap(key => {
      const source = isEqual(said[key], wanted[key]) ? own : wanted
      return Object.hasOwn(source, key) ? [[key, source[key]] as const] : []
    }),
  )
}

const writeJson = (text: string, wanted: Plain): string => {
  const [, indent = ''] = /\n([ \t]+)/.exec(text) ?? []
  return `${JSON.stringify(wanted, undefined, indent)}${text.endsWith('\n') ? '\n' : ''}`
}

/** The best one first: with the layout of the lines that stay, then as the library writes it. */
const writeYaml = (text: string, current: Plain, wanted: Plain): string[] => {
  const document = parse(text)
  if (!isMap(document.contents)) return []
  const [, indent = '  '] = /\n( +)[^\s#-]/.exec(text) ?? []
  const options: ToStringOptions = {
    lineWidth: 0,
    indent: Math.min(indent.length, 8),
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(text),
    flowCollectionPadding: false,
  }
  const written = document.toString(options)
  patchMap(document, document.contents, current, wanted)
  const edited = document.toString(options)
  return [mergeLayout(text, written, edited), edited]
}

const patchMap = (document: Document, map: YAMLMap, current: Plain, wanted: Plain): void => {
  for (const key of Object.keys(current)) if (!Object.hasOwn(wanted, key)) map.delete(key)
  for (const [key, value] of Object.entries(wanted)) {
    const before = Object.hasOwn(current, key) ? current[key] : undefined
    if (Object.hasOwn(current, key) && isEqual(before, value)) continue
    const pair = map.items.find(item => isScalar(item.key) && item.key.value === key)
    const node = pair?.value
    if (isMap(node) && isPlain(before) && isPlain(value)) patchMap(document, node, before, value)
    else if (isSeq(node) && Array.isArray(before) && Array.isArray(value))
      patchSequence(document, node, before, value)
    else if (pair) pair.value = replaced(document, node, value)
    else map.items.push(document.createPair(key, added(document, map, value)))
  }
}

/** Items that stay keep their nodes, and so their comments. */
const patchSequence = (
  document: Document,
  sequence: YAMLSeq,
  current: readonly unknown[],
  wanted: readonly unknown[],
): void => {
  const left = current.map((value, index) => ({ value, node: sequence.items[index] }))
  sequence.items = wanted.map(value => {
    const index = left.findIndex(item => isEqual(item.value, value))
    const [same] = index === -1 ? [] : left.splice(index, 1)
    return same ? same.node : createNode(document, value)
  })
}

const createNode = (document: Document, value: unknown) =>
  document.createNode(value, { aliasDuplicateObjects: false })

/** In the style of what it replaces, with its comments. */
const replaced = (document: Document, before: unknown, value: unknown) => {
  const node = createNode(document, value)
  if (!isNode(before) || isAlias(before) || !isNode(node)) return node
  node.comment = before.comment ?? null
  node.commentBefore = before.commentBefore ?? null
  if (isScalar(node) && isScalar(before) && typeof node.value === typeof before.value && before.type)
    node.type = before.type
  if (isCollection(node) && isCollection(before)) node.flow = before.flow ?? false
  return node
}

/** In the style of its neighbors. */
const added = (document: Document, map: YAMLMap, value: unknown) => {
  const node = createNode(document, value)
  const neighbor = map.items.findLast(item => isPair(item) && isCollection(item.value))?.value
  if (isCollection(node) && isCollection(neighbor)) node.flow = neighbor.flow ?? false
  return node
}

interface Section {
  name: string
  /** Of the comments and blank lines above it. */
  from: number
  /** Of its name. */
  start: number
  to: number
}

/** Lines of each key of the outermost map. Undefined where they do not stand at the beginning of lines of their own. */
const rootSections = (text: string): Section[] | undefined => {
  const root = parse(text).contents
  if (!isMap(root) || root.flow) return undefined
  const found: Omit<Section, 'to'>[] = []
  for (const { key } of root.items) {
    const start = isScalar(key) ? key.range?.[0] : undefined
    if (!isScalar(key) || start === undefined) return undefined
    if (start > 0 && text[start - 1] !== '\n') return undefined
    found.push({ name: String(key.value), from: startWithComments(text, start), start })
  }
  return found.map((section, index) => ({ ...section, to: found[index + 1]?.from ?? text.length }))
}

const startWithComments = (text: string, start: number): number => {
  let from = start
  while (from > 0) {
    const lineStart = from < 2 ? 0 : text.lastIndexOf('\n', from - 2) + 1
    const line = text.slice(lineStart, from).trim()
    if (line !== '' && !line.startsWith('#')) break
    from = lineStart
  }
  return from
}

/** Undefined where the sections of administrators cannot be told from the rest. */
const withoutSections = (source: string): string | undefined => {
  // No comments in it: what is gone from the data is gone.
  if (readJson(source)) return source
  return rootSections(source)
    ?.map(({ name, from, start, to }, index, sections) => {
      if (isOfAdministrators(name)) return ''
      if (index === 0) return source.slice(0, to)
      // Comments between such a section and the next one may belong to either.
      const isAfterOne = isOfAdministrators(sections[index - 1]?.name ?? '')
      return source.slice(isAfterOne ? start : from, to)
    })
    .join('')
}

const isPlain = (value: unknown): value is Plain =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Of plain data; the order of keys says nothing. */
const isEqual = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, index) => isEqual(item, other[index]))
  if (!isPlain(one) || !isPlain(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every(key => Object.hasOwn(other, key) && isEqual(one[key], other[key]))
  )
}
