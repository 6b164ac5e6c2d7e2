/** Looks at the text of a workspace file without parsing it: cheap enough to run before anything is known about the sender. */
import { Lexer } from 'yaml'

const slug = `(?:"([a-z0-9-]{1,63})"|'([a-z0-9-]{1,63})'|([a-z0-9-]{1,63}))`
/** The key in block style, at the start of a line. */
const blockEntry = new RegExp(
  String.raw`^(?:workspace|"workspace"|'workspace')[ \t]*:[ \t]+${slug}[ \t]*(?:#.*)?\r?$`,
  'm',
)
/** The key in flow style (JSON), where the scan stands. */
const flowEntry = new RegExp(
  String.raw`(?:"workspace"\s*:|'workspace'\s*:|workspace\s*:(?=\s))\s*${slug}\s*[,}]`,
  'y',
)
/** Blank lines, comments, directives and the start of a document: what may stand before the content. */
const prologue = /(?:[\s\uFEFF]+|#[^\n]*|%[^\n]*|---(?=\s))*/y

/**
 * Finds the name at the top-level key `workspace` without parsing, in linear time. Undefined when it is written in a way that only a
 * parser understands. It is a claim: compare it with the parsed file before you rely on it.
 */
export const scanWorkspaceName = (source: string): string | undefined => {
  prologue.lastIndex = 0
  prologue.test(source)
  const start = prologue.lastIndex
  return source[start] === '{' ? scanFlow(source, start) : named(blockEntry.exec(source))
}

const named = (match: RegExpExecArray | null): string | undefined => match?.[1] ?? match?.[2] ?? match?.[3]

const scanFlow = (source: string, start: number): string | undefined => {
  let depth = 0
  for (let index = start; index < source.length; index++) {
    const letter = source[index]
    if (depth === 1 && (letter === '"' || letter === "'" || letter === 'w')) {
      flowEntry.lastIndex = index
      const found = named(flowEntry.exec(source))
      if (found !== undefined) return found
    }
    if (letter === '"' || letter === "'") index = endOfQuoted(source, index, letter)
    else if (letter === '{' || letter === '[') depth++
    else if (letter === '}' || letter === ']') {
      depth--
      if (depth === 0) return undefined
    }
  }
  return undefined
}

/** Position of the quote that closes the text; the end of the source when none does. */
const endOfQuoted = (source: string, start: number, quote: string): number => {
  for (let index = start + 1; index < source.length; index++)
    if (source[index] === '\\' && quote === '"') index++
    else if (source[index] === quote) return index
  return source.length
}

/**
 * Offset of the first token that is nested more than `depthMax` deep, by the brackets and indentation of the tokens; undefined when there
 * is none. A list at the same indentation as its key counts once with it, so a tree of a text that passes is at most twice as deep. Stops at
 * the first: a parser would build the whole tree, by recursion, before its depth is known.
 */
export const findOverDeep = (source: string, depthMax: number): number | undefined => {
  /** Columns at which the open block collections begin. */
  const columns: number[] = []
  let offset = 0
  let lineStart = 0
  let flowDepth = 0
  /** Whether only indentation and indicators (`-`, `?`) precede the next token on its line. */
  let isFirst = true
  for (const token of new Lexer().lex(source)) {
    const [letter] = token
    // The lexer marks documents and scalars with control characters, which stand for no text.
    const isMark = token === '\u0002' || token === '\u0018' || token === '\u001f'
    if (isMark) continue
    const isIndicator = token === '-' || token === '?'
    if (token === '{' || token === '[') flowDepth++
    else if (token === '}' || token === ']') flowDepth = Math.max(0, flowDepth - 1)
    else if (flowDepth === 0 && (isFirst || isIndicator) && !isBlank(letter)) {
      const column = offset - lineStart
      while ((columns.at(-1) ?? -1) > column) columns.pop()
      if (columns.at(-1) !== column) columns.push(column)
    }
    if (columns.length + flowDepth > depthMax) return offset
    offset += token.length
    const newline = token.lastIndexOf('\n')
    if (newline >= 0) {
      lineStart = offset - (token.length - newline - 1)
      isFirst = true
    } else if (!isBlank(letter) && !isIndicator) isFirst = false
  }
  return undefined
}

const isBlank = (letter: string | undefined): boolean =>
  letter === undefined || letter === ' ' || letter === '\t' || letter === '\n' || letter === '\r'
