/** Parses the text of a workspace file, YAML 1.2 (and so JSON), and finds the place of each value. */
import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  type YAMLError,
  type YAMLMap,
} from 'yaml'
import type { ErrorPlace } from './errors.ts'
import { describeFault, describeHint, type FaultCode, type FaultText, type Hint } from './fault-texts.ts'
import { findUnstorable } from './storable-text.ts'
import { workspaceLimits } from './workspace-limits.ts'
import { findExcess } from './workspace-scan.ts'
import { findSyntaxCause } from './yaml-cause.ts'

const {
  fileBytes: bytesMax,
  fileDepth: depthMax,
  fileAliases: aliasesMax,
  fileEntries: entriesMax,
  expandedCharacters: expandedMax,
} = workspaceLimits
const errorsMax = 100
/** Length of a key in a message. */
const keyCharactersMax = 100

/** Keys and list positions from the root. */
export type Path = readonly (string | number)[]

export interface Source {
  /** The file as plain data. */
  value: unknown
  /** Returns line and column, from 1, of a value or its key. For a missing value it returns the nearest enclosing place. */
  findPlace: (path: Path, target: 'key' | 'value') => { line: number; column: number }
}

/**
 * Reads YAML or JSON: one document of at most 1 MiB, depth 50, 100 aliases, without duplicate keys. Returns the first syntax error with
 * line and column, because others follow from it, or else all errors of the structure.
 */
export const readSource = (source: string): Source | { errors: ErrorPlace[] } => {
  if (source.length > bytesMax || new TextEncoder().encode(source).length > bytesMax)
    return failAtStart(describeFault('file-too-large', { max: bytesMax }))
  const lines = new LineCounter()
  const lineAt = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  // The server also stores the file itself, with its comments.
  const unstorableOffset = findUnstorable(source)
  if (unstorableOffset !== undefined)
    return { errors: [{ ...describeFault('unstorable-file'), ...lineAtOffset(source, unstorableOffset) }] }
  // This comes before the parser, which is recursive and builds the whole tree first.
  const excess = findExcess(source, depthMax, entriesMax)
  if (excess)
    return {
      errors: [
        {
          ...(excess.limit === 'depth' ? tooDeep : tooManyItems),
          ...lineAtOffset(source, excess.offset),
        },
      ],
    }
  try {
    // structureErrors finds duplicate keys: the library compares all pairs of keys, which takes minutes for a hostile file.
    const documents = parseAllDocuments(source, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      stringKeys: true,
    })
    const [document] = Array.isArray(documents) ? documents : []
    if (document?.contents == null) return failAtStart(describeFault('empty-file'))
    const second = documents[1]
    if (second !== undefined)
      return { errors: [{ ...describeFault('second-document'), ...lineAt(second.range[0]) }] }
    const problems = [...document.errors, ...document.warnings]
    const [problem] = problems.sort((one, next) => one.pos[0] - next.pos[0])
    if (problem) {
      const cause = findSyntaxCause(source, problem)
      const { text, offset } = cause ?? { text: describeSyntax(problem), offset: problem.pos[0] }
      return { errors: [{ ...text, ...lineAt(offset) }] }
    }
    const structural = structureErrors(document.contents)
    if (structural.length > 0)
      return { errors: structural.map(({ offset, ...text }) => ({ ...text, ...lineAt(offset) })) }
    const value = toPlainData(document)
    // Aliases repeat whole collections.
    if (JSON.stringify(value).length > expandedMax)
      return failAtStart(describeFault('file-too-long', { max: expandedMax }))
    return {
      value,
      findPlace: (path, target) => lineAt(findOffset(document, path, target)),
    }
  } catch (error) {
    // RangeError: nested so deeply that the parser ran out of stack. ReferenceError: too many aliases.
    if (error instanceof RangeError) return failAtStart(tooDeep)
    if (error instanceof ReferenceError)
      return failAtStart(describeFault('too-many-aliases', { reason: error.message }))
    if (error instanceof UnreadableDocument)
      return failAtStart(describeFault('unreadable-file', { reason: error.message }))
    throw error
  }
}

const tooDeep = describeFault('too-deep', { max: depthMax })

const tooManyItems = describeFault('too-many-items', { max: entriesMax })

const failAtStart = (text: FaultText) => ({ errors: [{ ...text, line: 1, column: 1 }] })

const lineAtOffset = (source: string, offset: number): { line: number; column: number } => {
  const preceding = source.slice(0, offset)
  return { line: preceding.split('\n').length, column: offset - preceding.lastIndexOf('\n') }
}

/** The English message is that of the YAML library. */
const describeSyntax = ({ code, message }: YAMLError): FaultText => {
  if (message.startsWith('Maximum call stack')) return tooDeep
  const hint: Hint | undefined = quotesHelp.includes(code) ? { hint: 'quote-text' } : undefined
  return {
    ...describeFault(syntaxCodes[code] ?? 'yaml-syntax', {}, hint),
    message: message + describeHint(hint),
  }
}

/** Syntax errors whose usual cause is text without quotes. */
const quotesHelp: readonly ErrorCode[] = [
  'BLOCK_AS_IMPLICIT_KEY',
  'UNEXPECTED_TOKEN',
  'BAD_SCALAR_START',
  'BAD_ALIAS',
]

const syntaxCodes: Readonly<Partial<Record<ErrorCode, FaultCode & `yaml-${string}`>>> = {
  BAD_INDENT: 'yaml-indentation',
  TAB_AS_INDENT: 'yaml-tab',
  MISSING_CHAR: 'yaml-missing-character',
  UNEXPECTED_TOKEN: 'yaml-unexpected-character',
  BAD_SCALAR_START: 'yaml-unexpected-character',
  BAD_DQ_ESCAPE: 'yaml-unexpected-character',
  BLOCK_AS_IMPLICIT_KEY: 'yaml-key',
  MULTILINE_IMPLICIT_KEY: 'yaml-key',
  KEY_OVER_1024_CHARS: 'yaml-key',
  NON_STRING_KEY: 'yaml-key',
}

/**
 * Adds line and column to faults at paths of a file. A missing value has the nearest enclosing place. Without line and column if the file
 * cannot be parsed.
 */
export const locateFaults = (
  source: string,
  faults: readonly (FaultText & { path: Path; target?: 'key' | 'value' })[],
): ErrorPlace[] => {
  const read = readSource(source)
  return faults.map(({ path, target = 'key', ...text }) => ({
    ...text,
    path: path.join('.'),
    ...('errors' in read ? {} : read.findPlace(path, target)),
  }))
}

/** The text is YAML, but has no value, such as a merge of something that is not a map. */
class UnreadableDocument extends Error {}

const toPlainData = (document: Document): unknown => {
  try {
    return document.toJS({ maxAliasCount: aliasesMax })
  } catch (error) {
    if (error instanceof RangeError || error instanceof ReferenceError || !(error instanceof Error))
      throw error
    throw new UnreadableDocument(error.message)
  }
}

interface StructureError extends FaultText {
  offset: number
}

/** Tags of the JSON types. `!!set`, `!!timestamp` and others are not plain data. */
const tagsAllowed: readonly (string | undefined)[] = [
  undefined,
  '!',
  ...['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map(name => `tag:yaml.org,2002:${name}`),
]

const structureErrors = (root: Node): StructureError[] => {
  const errors: StructureError[] = []
  /** The last node of each anchor so far. */
  const anchors = new Map<string, Node>()
  /** The lists and mappings around the current node. */
  const openNodes = new Set<Node>()
  const visit = (node: unknown, depth: number): void => {
    if (errors.length >= errorsMax) return
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined)
      anchors.set(node.anchor, node)
    const text = describeNodeFault(node, depth, anchors, openNodes)
    if (text) errors.push({ ...text, offset: startOffset(node) ?? 0 })
    else if (isSeq(node) || isMap(node)) {
      openNodes.add(node)
      if (isSeq(node)) for (const item of node.items) visit(item, depth + 1)
      else visitEntries(node, depth)
      openNodes.delete(node)
    }
  }
  const visitEntries = (node: YAMLMap, depth: number): void => {
    const seenKeys = new Set<string>()
    for (const { key, value } of node.items) {
      if (errors.length >= errorsMax) return
      const name = isScalar(key) ? String(key.value) : ''
      const offset = startOffset(key) ?? startOffset(node) ?? 0
      if (seenKeys.has(name)) {
        const quotedKey = JSON.stringify(name.slice(0, keyCharactersMax))
        errors.push({ ...describeFault('duplicate-key', { found: quotedKey }), offset })
      }
      // This key would set the prototype of the object.
      if (name === '__proto__') errors.push({ ...describeFault('reserved-key', { found: name }), offset })
      seenKeys.add(name)
      visit(value, depth + 1)
    }
  }
  visit(root, 1)
  return errors
}

/** Says what is wrong with a node itself, whatever is in it. */
const describeNodeFault = (
  node: unknown,
  depth: number,
  anchors: ReadonlyMap<string, Node>,
  openNodes: ReadonlySet<Node>,
): FaultText | undefined => {
  if (isAlias(node)) {
    const target = anchors.get(node.source)
    if (target === undefined) return describeFault('unknown-anchor', { found: node.source })
    if (openNodes.has(target)) return describeFault('circular-alias', { found: node.source })
  }
  if (isNode(node) && !tagsAllowed.includes(node.tag))
    return describeFault('wrong-tag', { found: node.tag ?? '' })
  if (isScalar(node) && typeof node.value === 'number' && losesDigits(node.source, node.value))
    return describeFault('inexact-number', { found: node.source ?? '', read: String(BigInt(node.value)) })
  return depth > depthMax ? tooDeep : undefined
}

/** Whether a whole number is another one as a 64-bit floating-point number, as from 2^53 + 1 on. */
const losesDigits = (text: string | undefined, value: number): boolean =>
  text !== undefined &&
  /^[-+]?\d+$/.test(text) &&
  Number.isFinite(value) &&
  BigInt(value) !== BigInt(text.replace('+', ''))

const startOffset = (node: unknown): number | undefined =>
  isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined

const findOffset = (document: Document, path: Path, target: 'key' | 'value'): number => {
  let node: unknown = document.contents
  let offset = startOffset(node) ?? 0
  for (const [index, name] of path.entries()) {
    const inside: unknown = isAlias(node) ? node.resolve(document) : node
    let key: unknown
    if (isMap(inside)) {
      const pair = inside.items.find(item => isScalar(item.key) && String(item.key.value) === String(name))
      if (pair === undefined) break
      key = pair.key
      node = pair.value
    } else if (isSeq(inside)) {
      node = inside.items[Number(name)]
    } else break
    const selected = target === 'key' && index === path.length - 1 ? key : node
    offset = startOffset(selected) ?? startOffset(key) ?? offset
  }
  return offset
}
