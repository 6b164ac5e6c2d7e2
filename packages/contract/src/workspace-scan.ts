/** Scans the text of a workspace file without parsing it: cheap enough to run before the sender is authenticated. */
import { Lexer } from 'yaml'

const slug = `(?:"([a-z0-9-]{1,63})"|'([a-z0-9-]{1,63})'|([a-z0-9-]{1,63}))`
/** The key in block style, at the start of a line. */
const blockEntry = new RegExp(
  String.raw`^(?:workspace|"workspace"|'workspace')[ \t]*:[ \t]+${slug}[ \t]*(?:#.*)?\r?$`,
  'm',
)
/** The key in flow style (JSON), at the position of the scan. */
const flowEntry = new RegExp(
  String.raw`(?:"workspace"\s*:|'workspace'\s*:|workspace\s*:(?=\s))\s*${slug}\s*[,}]`,
  'y',
)
/** Blank lines, comments, directives and the start of a document, which may precede the content. */
const prologue = /(?:[\s\uFEFF]+|#[^\n]*|%[^\n]*|---(?=\s))*/y

/**
 * Finds the value of the top-level key `workspace` in linear time. Returns undefined if only a parser can read it. Compare the result with
 * the parsed file before you rely on it.
 */
export const scanWorkspaceName = (source: string): string | undefined => {
  prologue.lastIndex = 0
  prologue.test(source)
  const start = prologue.lastIndex
  return source[start] === '{' ? scanFlow(source, start) : matchedName(blockEntry.exec(source))
}

const matchedName = (match: RegExpExecArray | null): string | undefined =>
  match?.[1] ?? match?.[2] ?? match?.[3]

const scanFlow = (source: string, start: number): string | undefined => {
  let depth = 0
  for (let index = start; index < source.length; index++) {
    const character = source[index]
    if (depth === 1 && (character === '"' || character === "'" || character === 'w')) {
      flowEntry.lastIndex = index
      const name = matchedName(flowEntry.exec(source))
      if (name !== undefined) return name
    }
    if (character === '"' || character === "'") index = findClosingQuote(source, index, character)
    else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      depth--
      if (depth === 0) return undefined
    }
  }
  return undefined
}

/** Returns the position of the closing quote, or the end of the source without one. */
const findClosingQuote = (source: string, start: number, quote: string): number => {
  for (let index = start + 1; index < source.length; index++)
    if (source[index] === '\\' && quote === '"') index++
    else if (source[index] === quote) return index
  return source.length
}

/** A place in the text beyond a limit. */
export interface Excess {
  limit: 'depth' | 'entries'
  offset: number
}

/**
 * Finds the first token that is nested more than `depthMax` deep, by brackets and indentation, or that follows `entriesMax` entries of its
 * list or mapping; undefined without one. A list at the same indentation as its key counts once with it, so the tree of an accepted text is at
 * most twice as deep. It stops at the first such token, while a parser would build the whole tree, by recursion.
 */
export const findExcess = (source: string, depthMax: number, entriesMax: number): Excess | undefined => {
  const nesting = createNesting()
  let offset = 0
  let lineStart = 0
  /** True if only indentation and indicators (`-`, `?`) precede the next token on its line. */
  let isFirst = true
  for (const token of new Lexer().lex(source)) {
    // The lexer marks documents and scalars with control characters, which are not part of the text.
    const isMark = token === '\u0002' || token === '\u0018' || token === '\u001f'
    if (isMark) continue
    const [character] = token
    const isIndicator = token === '-' || token === '?'
    const isEntry = (isFirst || isIndicator) && !isBlank(character) && character !== '#'
    const entries = nesting.count(token, isEntry ? offset - lineStart : undefined)
    if (nesting.depth() > depthMax) return { limit: 'depth', offset }
    if (entries > entriesMax) return { limit: 'entries', offset }
    offset += token.length
    const newline = token.lastIndexOf('\n')
    if (newline >= 0) {
      lineStart = offset - (token.length - newline - 1)
      isFirst = true
    } else if (!isBlank(character) && !isIndicator) isFirst = false
  }
  return undefined
}

/** Counts one more entry of the innermost collection. */
const countEntry = (entries: number[]): number => {
  const count = (entries.pop() ?? 0) + 1
  entries.push(count)
  return count
}

/** Counts the entries of the open collections. Block collections begin and end by their columns, flow collections by brackets. */
const createNesting = () => {
  /** Start columns of the open block collections. */
  const columns: number[] = []
  /** Keys in each of them so far, and items of the list that is open there: a list may stand at the indentation of its key. */
  const blockKeys: number[] = []
  const blockItems: number[] = []
  /** Entries of each open flow collection so far. */
  const flowEntries: number[] = []
  const countBlockEntry = (column: number, isItem: boolean): number => {
    while ((columns.at(-1) ?? -1) > column) for (const stack of [columns, blockKeys, blockItems]) stack.pop()
    if (columns.at(-1) !== column) {
      columns.push(column)
      blockKeys.push(0)
      blockItems.push(0)
    }
    if (!isItem) blockItems.splice(-1, 1, 0)
    return countEntry(isItem ? blockItems : blockKeys)
  }
  return {
    depth: () => columns.length + flowEntries.length,
    /** Returns the number of entries of the collection whose next one the token begins, otherwise 0. `column`: where a block entry begins. */
    count(token: string, column: number | undefined): number {
      if (token === '{' || token === '[') flowEntries.push(0)
      else if (token === '}' || token === ']') flowEntries.pop()
      else if (flowEntries.length > 0) return token === ',' ? countEntry(flowEntries) : 0
      else if (column !== undefined) return countBlockEntry(column, token === '-')
      return 0
    },
  }
}

const isBlank = (character: string | undefined): boolean =>
  character === undefined ||
  character === ' ' ||
  character === '\t' ||
  character === '\n' ||
  character === '\r'
