/** Updates the text of a workspace file and keeps its comments and layout. */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type ToStringOptions,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml'
import { canonicalEmail } from './email-address.ts'
import { mergeLayout } from './line-merge.ts'
import { normalizeWorkspaceFile } from './normalize-workspace-file.ts'
import { canonicalText, isEqual, isPlain, type Plain } from './plain-data.ts'
import type { WorkspaceFile } from './workspace-file.ts'
import { workspaceLimits } from './workspace-limits.ts'
import { spliceYaml } from './yaml-splice.ts'

/** Sections that only administrators read (authorization-server.md, Members and roles). */
export const administratorSections = [
  'groups',
  'memberDefaults',
  'members',
  'applications',
  'systemToSystem',
  'identityProvider',
  'branding',
  'settings',
] as const

export interface TextPatch {
  /** Text of a file that the reader has accepted. */
  source: string
  /** The content that the text must have afterwards. */
  file: WorkspaceFile
  /** Removes the administrators' sections, with every comment before, in and after them. */
  isReduced?: boolean
}

/**
 * Changes the parts of the text that differ from `file` and keeps the rest. Reading the result gives `file`. Returns undefined if that is not
 * possible, for example because of an alias of a removed value: then write out `file` instead.
 */
export const patchWorkspaceText = ({ source, file, isReduced = false }: TextPatch): string | undefined => {
  try {
    const text = isReduced ? removeAdministratorSections(source) : source
    if (text === undefined) return undefined
    const current = readJson(text) ?? parse(text).toJS({ maxAliasCount: aliasesMax })
    if (!isPlain(current)) return undefined
    const target = spellLike(current as unknown as WorkspaceFile, file)
    if (isEqual(current, target)) return text
    const spliced = spliceYaml(text, current, target)
    if (spliced !== undefined && hasSameMeaning(spliced, file)) return spliced
    const candidates = readJson(text) ? [writeJson(text, target)] : writeYaml(text, current, target)
    return candidates.find(candidate => hasSameMeaning(candidate, file))
  } catch {
    // An earlier version of the reader accepted the text, or the edit removed an anchor that an alias needs.
    return undefined
  }
}

/**
 * Appends the administrators' sections of `previous` that `next` does not have, because a member who may not read them applies a file without
 * them. Returns `next` if the two texts cannot be joined.
 */
export const keepAdministratorSections = ({ previous, next }: { previous: string; next: string }): string => {
  try {
    const names = new Set(rootSections(next)?.map(({ name }) => name))
    if (names.size === 0) return next
    const sections = (rootSections(previous) ?? [])
      .filter(({ name }) => isAdministratorSection(name) && !names.has(name))
      .map(({ commentStart: from, end: to }) => previous.slice(from, to).trimEnd())
    if (sections.length === 0) return next
    const joined = `${[next.trimEnd(), ...sections].join('\n')}\n`
    parse(joined)
    return new TextEncoder().encode(joined).length > workspaceLimits.fileBytes ? next : joined
  } catch {
    return next
  }
}

const aliasesMax = 100

const isAdministratorSection = (name: string): boolean =>
  administratorSections.some(section => section === name)

/** Throws on text that is not YAML. */
const parse = (text: string): Document => {
  // The reader checks for duplicate keys, faster.
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

/** Returns whether reading the text gives the same content as `file`. */
const hasSameMeaning = (text: string, file: WorkspaceFile): boolean => {
  try {
    const read = parse(text).toJS({ maxAliasCount: aliasesMax }) as WorkspaceFile
    return isEqual(normalizeWorkspaceFile(read), normalizeWorkspaceFile(file))
  } catch {
    return false
  }
}

/** Spells `file` like the text: content that both share stays as the text writes it. */
const spellLike = (text: WorkspaceFile, file: WorkspaceFile): Plain => {
  const current = normalizeWorkspaceFile(text)
  const target = normalizeWorkspaceFile(file)
  const { members, applications, systemToSystem } = text
  const spelled: Plain = {
    ...target.definition,
    // Domains have more than one spelling.
    ...(isEqual(current.definition.identityProvider, target.definition.identityProvider) &&
    text.identityProvider
      ? { identityProvider: text.identityProvider }
      : {}),
    ...section('members', members, current.members, target.members, canonicalEmail),
    ...section('applications', applications, current.applications, target.applications),
    ...section('systemToSystem', systemToSystem, current.systemToSystem, target.systemToSystem),
  }
  const keys = new Set([...Object.keys(text), ...Object.keys(spelled)])
  return Object.fromEntries(
    [...keys].flatMap(key => (Object.hasOwn(spelled, key) ? [[key, spelled[key]] as const] : [])),
  )
}

const section = (
  name: string,
  text: Readonly<Record<string, unknown>> | undefined,
  current: Readonly<Record<string, object>>,
  target: Readonly<Record<string, object>>,
  fold = (key: string) => key,
): Plain => {
  if (text === undefined && Object.keys(target).length === 0) return {}
  const writtenKeys = Object.keys(text ?? {}).filter(key => Object.hasOwn(target, fold(key)))
  const isWritten = new Set(writtenKeys.map(fold))
  const addedKeys = Object.keys(target).filter(key => !isWritten.has(key))
  const entries = [
    ...writtenKeys.map(
      key => [key, spellEntryLike(text?.[key], current[fold(key)] ?? {}, target[fold(key)] ?? {})] as const,
    ),
    ...addedKeys.map(key => [key, shortForm(name, target[key])] as const),
  ]
  return { [name]: Object.fromEntries(entries) }
}

/** Writes a member who has roles alone as a list of them. */
const shortForm = (name: string, entry: unknown): unknown => {
  if (name !== 'members' || !isPlain(entry)) return entry
  const { roles, ...others } = entry as Record<string, unknown>
  return Object.values(others).every(value => value === undefined) ? roles : entry
}

const spellEntryLike = (text: unknown, currentEntry: object, targetEntry: object): unknown => {
  // normalizeWorkspaceFile returns plain data.
  const [current, target] = [currentEntry as Plain, targetEntry as Plain]
  if (isEqual(current, target)) return text
  if (Array.isArray(text)) return target.filter === undefined ? target.roles : target
  const textEntry = isPlain(text) ? text : {}
  const keys = [...new Set([...Object.keys(textEntry), ...Object.keys(target)])]
  return Object.fromEntries(
    keys.flatMap(key => {
      const source = isEqual(current[key], target[key]) ? textEntry : target
      return Object.hasOwn(source, key) ? [[key, source[key]] as const] : []
    }),
  )
}

const writeJson = (text: string, target: Plain): string => {
  const [, indent = ''] = /\n([ \t]+)/.exec(text) ?? []
  return `${JSON.stringify(target, undefined, indent)}${text.endsWith('\n') ? '\n' : ''}`
}

/** Returns candidates, best first: with the layout of unchanged lines, then as the library writes it. */
const writeYaml = (text: string, current: Plain, target: Plain): string[] => {
  const document = parse(text)
  if (!isMap(document.contents)) return []
  const [, indent = '  '] = /\n( +)[^\s#-]/.exec(text) ?? []
  const options: ToStringOptions = {
    lineWidth: 0,
    indent: Math.min(indent.length, 8),
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(text),
    flowCollectionPadding: false,
  }
  const rendered = document.toString(options)
  patchMap(document, document.contents, current, target)
  const edited = document.toString(options)
  return [mergeLayout(text, rendered, edited), edited]
}

const patchMap = (document: Document, map: YAMLMap, current: Plain, target: Plain): void => {
  const pairs = new Map<unknown, Pair>()
  for (const pair of map.items) if (isScalar(pair.key)) pairs.set(pair.key.value, pair)
  const removed = new Set(Object.keys(current).filter(key => !Object.hasOwn(target, key)))
  map.items = map.items.filter(({ key }) => !(isScalar(key) && removed.has(String(key.value))))
  for (const [key, value] of Object.entries(target)) {
    const previous = Object.hasOwn(current, key) ? current[key] : undefined
    if (Object.hasOwn(current, key) && isEqual(previous, value)) continue
    const pair = pairs.get(key)
    const node = pair?.value
    if (isMap(node) && isPlain(previous) && isPlain(value)) patchMap(document, node, previous, value)
    else if (isSeq(node) && Array.isArray(previous) && Array.isArray(value))
      patchSequence(document, node, previous, value)
    else if (pair) pair.value = createReplacement(document, node, value)
    else
      insertPair(
        map,
        listKeysBehind(target, key),
        document.createPair(key, createAddition(document, map, value)),
      )
  }
}

const listKeysBehind = (map: Plain, key: string): string[] => {
  const keys = Object.keys(map)
  return keys.slice(keys.indexOf(key) + 1)
}

/** Inserts a pair before the first that has one of `nextKeys`, or else at the end. */
const insertPair = (map: YAMLMap, nextKeys: readonly string[], pair: Pair): void => {
  const position = map.items.findIndex(({ key }) => isScalar(key) && nextKeys.includes(String(key.value)))
  map.items.splice(position === -1 ? map.items.length : position, 0, pair)
}

/** Unchanged items keep their nodes, and so their comments. */
const patchSequence = (
  document: Document,
  sequence: YAMLSeq,
  current: readonly unknown[],
  target: readonly unknown[],
): void => {
  const nodesByText = new Map<string, unknown[]>()
  // From the end, so that `pop` takes the first one.
  for (let index = current.length - 1; index >= 0; index--) {
    const text = canonicalText(current[index])
    const nodes = nodesByText.get(text) ?? []
    nodesByText.set(text, nodes)
    nodes.push(sequence.items[index])
  }
  sequence.items = target.map(
    value => nodesByText.get(canonicalText(value))?.pop() ?? createNode(document, value),
  )
}

const createNode = (document: Document, value: unknown) =>
  document.createNode(value, { aliasDuplicateObjects: false })

/** Creates a node with the style and comments of the previous one. */
const createReplacement = (document: Document, previous: unknown, value: unknown) => {
  const node = createNode(document, value)
  if (!isNode(previous) || isAlias(previous) || !isNode(node)) return node
  node.comment = previous.comment ?? null
  node.commentBefore = previous.commentBefore ?? null
  if (isScalar(node) && isScalar(previous) && typeof node.value === typeof previous.value && previous.type)
    node.type = previous.type
  if (isCollection(node) && isCollection(previous)) node.flow = previous.flow ?? false
  return node
}

/** Creates a node in the style of its neighbors. */
const createAddition = (document: Document, map: YAMLMap, value: unknown) => {
  const node = createNode(document, value)
  const neighbor = map.items.findLast(item => isPair(item) && isCollection(item.value))?.value
  if (isCollection(node) && isCollection(neighbor)) node.flow = neighbor.flow ?? false
  return node
}

interface Section {
  name: string
  /** Start of the comments and blank lines above it. */
  commentStart: number
  /** Start of its name. */
  start: number
  end: number
}

/** Returns the lines of each key of the outermost map. Undefined if a key is not at the start of a line. */
const rootSections = (text: string): Section[] | undefined => {
  const root = parse(text).contents
  if (!isMap(root) || root.flow) return undefined
  const starts: Omit<Section, 'end'>[] = []
  for (const { key } of root.items) {
    const start = isScalar(key) ? key.range?.[0] : undefined
    if (!isScalar(key) || start === undefined) return undefined
    if (start > 0 && text[start - 1] !== '\n') return undefined
    starts.push({ name: String(key.value), commentStart: startWithComments(text, start), start })
  }
  return starts.map((section, index) => ({ ...section, end: starts[index + 1]?.commentStart ?? text.length }))
}

const startWithComments = (text: string, start: number): number => {
  let position = start
  while (position > 0) {
    const lineStart = position < 2 ? 0 : text.lastIndexOf('\n', position - 2) + 1
    const line = text.slice(lineStart, position).trim()
    if (line !== '' && !line.startsWith('#')) break
    position = lineStart
  }
  return position
}

/** Returns undefined if the administrators' sections cannot be separated from the rest. */
const removeAdministratorSections = (source: string): string | undefined => {
  // JSON has no comments, so removing the data is enough.
  if (readJson(source)) return source
  return rootSections(source)
    ?.map(({ name, commentStart: from, start, end: to }, index, sections) => {
      if (isAdministratorSection(name)) return ''
      if (index === 0) return source.slice(0, to)
      // A comment between such a section and the next one may belong to either.
      const isAfterOne = isAdministratorSection(sections[index - 1]?.name ?? '')
      return source.slice(isAfterOne ? start : from, to)
    })
    .join('')
}
