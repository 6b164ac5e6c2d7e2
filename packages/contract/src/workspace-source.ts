/** The text of a workspace file: YAML 1.2, and so JSON, with the place of everything in it. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
} from 'yaml'
import type { ErrorPlace } from './errors.ts'

const bytesMax = 1024 * 1024
/** Values that aliases may repeat in all; more is an attack ("billion laughs"). */
const aliasesMax = 100
const depthMax = 50
const errorsMax = 100

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
        errors: problems.slice(0, errorsMax).map(({ message, pos }) => ({
          message: message.startsWith('Maximum call stack') ? `nested more than ${depthMax} deep` : message,
          ...lineAt(pos[0]),
        })),
      }
    const misplaced = structureErrors(document.contents)
    if (misplaced.length > 0)
      return { errors: misplaced.map(({ message, offset }) => ({ message, ...lineAt(offset) })) }
    return {
      value: contentOf(document),
      placeOf: (path, at) => lineAt(offsetOf(document, path, at)),
    }
  } catch (error) {
    // RangeError: nested so deeply that the parser ran out of stack. ReferenceError: too many aliases, or one without an anchor.
    if (error instanceof RangeError)
      return { errors: [{ message: `the file is nested more than ${depthMax} deep`, line: 1, column: 1 }] }
    if (error instanceof ReferenceError)
      return { errors: [{ message: `aliases: ${error.message}`, line: 1, column: 1 }] }
    if (error instanceof NoValue) return { errors: [{ message: error.message, line: 1, column: 1 }] }
    throw error
  }
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

const structureErrors = (root: Node): Misplaced[] => {
  const errors: Misplaced[] = []
  const visit = (node: unknown, depth: number): void => {
    if (errors.length >= errorsMax) return
    if (depth > depthMax) {
      errors.push({ message: `nested more than ${depthMax} deep`, offset: startOf(node) ?? 0 })
    } else if (isSeq(node)) {
      for (const item of node.items) visit(item, depth + 1)
    } else if (isMap(node)) {
      const seen = new Set<string>()
      for (const { key, value } of node.items) {
        const name = isScalar(key) ? String(key.value) : ''
        const offset = startOf(key) ?? startOf(node) ?? 0
        if (seen.has(name)) errors.push({ message: `"${name}" stands here a second time`, offset })
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
