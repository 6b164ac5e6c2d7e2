/** The text of a workspace file: YAML 1.2, and so JSON, with the place of everything in it. */
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
} from 'yaml'
import type { ErrorPlace } from './errors.ts'
import { workspaceLimits } from './workspace-limits.ts'
import { findOverDeep } from './workspace-scan.ts'

const {
  fileBytes: bytesMax,
  fileDepth: depthMax,
  fileAliases: aliasesMax,
  expandedCharacters: expandedMax,
} = workspaceLimits
const errorsMax = 100
/** Of a key in a message. */
const shownCharactersMax = 100

/** Names from the root: keys and positions in lists. */
export type Path = readonly (string | number)[]

export interface Source {
  /** The file as plain data. */
  value: unknown
  /** Line and column, from 1, of a value, or of the key it stands at; of the nearest thing around it when it is not there. */
  placeOf: (path: Path, at: 'key' | 'value') => { line: number; column: number }
}

/**
 * Reads YAML or JSON of at most 1 MiB, one document, depth 50, without duplicate keys, 100 aliases at most. The errors have line and
 * column; all errors of the syntax are given, then those of the structure.
 */
export const readSource = (source: string): Source | { errors: ErrorPlace[] } => {
  if (source.length > bytesMax || new TextEncoder().encode(source).length > bytesMax)
    return { errors: [{ message: `the file is larger than ${bytesMax} bytes`, line: 1, column: 1 }] }
  const lines = new LineCounter()
  const lineAt = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(1, line), column: Math.max(1, col) }
  }
  // Before the parser, which is recursive and builds the whole tree first.
  const deep = findOverDeep(source, depthMax)
  if (deep !== undefined)
    return { errors: [{ message: `nested more than ${depthMax} deep`, ...lineAtOffset(source, deep) }] }
  try {
    // Duplicate keys are found below: the library compares each key with each, which takes minutes for a hostile file.
    const documents = parseAllDocuments(source, {
      lineCounter: lines,
      prettyErrors: false,
      uniqueKeys: false,
      stringKeys: true,
    })
    const [document] = Array.isArray(documents) ? documents : []
    if (document?.contents == null)
      return {
        errors: [{ message: 'the file is empty: it starts with "workspace: NAME"', line: 1, column: 1 }],
      }
    const second = documents[1]
    if (second !== undefined)
      return {
        errors: [
          {
            message: 'the file holds a second document: a file describes one workspace',
            ...lineAt(second.range[0]),
          },
        ],
      }
    const problems = [...document.errors, ...document.warnings]
    if (problems.length > 0)
      return {
        errors: problems.slice(0, errorsMax).map(({ code, message, pos }, index) => ({
          message: message.startsWith('Maximum call stack')
            ? `nested more than ${depthMax} deep`
            : `${message}${index === 0 && quotesHelp.includes(code) ? quotesHint : ''}`,
          ...lineAt(pos[0]),
        })),
      }
    const misplaced = structureErrors(document.contents)
    if (misplaced.length > 0)
      return { errors: misplaced.map(({ message, offset }) => ({ message, ...lineAt(offset) })) }
    const value = contentOf(document)
    // Aliases repeat whole collections.
    if (JSON.stringify(value).length > expandedMax)
      return {
        errors: [
          {
            message: `the file has more than ${expandedMax} characters as JSON, with every alias written out`,
            line: 1,
            column: 1,
          },
        ],
      }
    return {
      value,
      placeOf: (path, at) => lineAt(offsetOf(document, path, at)),
    }
  } catch (error) {
    // RangeError: nested so deeply that the parser ran out of stack. ReferenceError: too many aliases.
    if (error instanceof RangeError)
      return { errors: [{ message: `the file is nested more than ${depthMax} deep`, line: 1, column: 1 }] }
    if (error instanceof ReferenceError)
      return { errors: [{ message: `aliases: ${error.message}`, line: 1, column: 1 }] }
    if (error instanceof NoValue) return { errors: [{ message: error.message, line: 1, column: 1 }] }
    throw error
  }
}

const lineAtOffset = (source: string, offset: number): { line: number; column: number } => {
  const before = source.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

/** Faults of the syntax that come, more often than not, from text that YAML reads as something else. */
const quotesHelp: readonly ErrorCode[] = [
  'BLOCK_AS_IMPLICIT_KEY',
  'UNEXPECTED_TOKEN',
  'BAD_SCALAR_START',
  'BAD_ALIAS',
]
const quotesHint = '; a text that holds ": " or " #", or any of { } [ ] * & @ % `, stands in quotes'

/**
 * Adds line and column to what was found at paths of a file; of the nearest thing around it for what is not there. Without them where the
 * file cannot be read.
 */
export const locate = (
  source: string,
  found: readonly { path: Path; message: string; at?: 'key' | 'value' }[],
): ErrorPlace[] => {
  const read = readSource(source)
  return found.map(({ path, message, at = 'key' }) => ({
    message,
    path: path.join('.'),
    ...('errors' in read ? {} : read.placeOf(path, at)),
  }))
}

/** Text that parses as YAML and yet stands for no value, such as a merge of what is no map. */
class NoValue extends Error {}

const contentOf = (document: Document): unknown => {
  try {
    return document.toJS({ maxAliasCount: aliasesMax })
  } catch (error) {
    if (error instanceof RangeError || error instanceof ReferenceError || !(error instanceof Error))
      throw error
    throw new NoValue(`the file cannot be read: ${error.message}`)
  }
}

interface Misplaced {
  message: string
  offset: number
}

/** The types of JSON; `!!set`, `!!timestamp` and others would be read as no plain data. */
const tagsAllowed: readonly (string | undefined)[] = [
  undefined,
  '!',
  ...['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map(name => `tag:yaml.org,2002:${name}`),
]

const structureErrors = (root: Node): Misplaced[] => {
  const errors: Misplaced[] = []
  const anchors = new Set<string>()
  const visit = (node: unknown, depth: number): void => {
    if (errors.length >= errorsMax) return
    const offset = startOf(node) ?? 0
    if ((isScalar(node) || isMap(node) || isSeq(node)) && node.anchor !== undefined) anchors.add(node.anchor)
    if (isAlias(node) && !anchors.has(node.source))
      errors.push({ message: `no anchor &${node.source} stands before this alias`, offset })
    else if (isNode(node) && !tagsAllowed.includes(node.tag))
      errors.push({ message: `the tag ${node.tag} is not allowed: leave it out`, offset })
    else if (depth > depthMax) {
      errors.push({ message: `nested more than ${depthMax} deep`, offset })
    } else if (isSeq(node)) {
      for (const item of node.items) visit(item, depth + 1)
    } else if (isMap(node)) {
      const seen = new Set<string>()
      for (const { key, value } of node.items) {
        if (errors.length >= errorsMax) return
        const name = isScalar(key) ? String(key.value) : ''
        const offset = startOf(key) ?? startOf(node) ?? 0
        if (seen.has(name))
          errors.push({
            message: `${JSON.stringify(name.slice(0, shownCharactersMax))} stands here a second time`,
            offset,
          })
        // It would be the prototype of the object it stands in, not a key.
        if (name === '__proto__') errors.push({ message: '"__proto__" cannot be a name', offset })
        seen.add(name)
        visit(value, depth + 1)
      }
    }
  }
  visit(root, 1)
  return errors
}

const startOf = (node: unknown): number | undefined =>
  isScalar(node) || isMap(node) || isSeq(node) || isAlias(node) ? node.range?.[0] : undefined

const offsetOf = (document: Document, path: Path, at: 'key' | 'value'): number => {
  let node: unknown = document.contents
  let offset = startOf(node) ?? 0
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
    const wanted = at === 'key' && index === path.length - 1 ? key : node
    offset = startOf(wanted) ?? startOf(key) ?? offset
  }
  return offset
}
