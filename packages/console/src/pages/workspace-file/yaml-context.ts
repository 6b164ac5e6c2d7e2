/** The place of the cursor in a YAML text that may be incomplete. */

/** A mapping or a list that is open at the cursor. Flow collections, in braces or brackets, have no indentation. */
interface Frame {
  kind: 'mapping' | 'list'
  /** In characters; undefined: a flow collection. */
  indentation: number | undefined
  /** Current key of a mapping. */
  key: string | undefined
  /** Values of the keys before the cursor, empty for lists and mappings. */
  scalars: Map<string, string>
}

export interface YamlContext {
  /** Keys from the root to the mapping of the cursor, or to its value; `[]` stands for an item of a list. */
  path: string[]
  /** Scalars of each mapping on the path, beginning with the root; lists have none. */
  scalars: ReadonlyMap<string, string>[]
  position: 'key' | 'value'
  /** Start of the word at the cursor. */
  from: number
}

const keyPattern = /("[^"\n]*"|'[^'\n]*'|[^\s#:{}[\],"'-][^:#{}[\],\n]*?)\s*:(?=\s|$)/y

/** Called with the path of each key before the cursor. */
type OnKey = (path: string[]) => void

/** Returns the paths of all keys, in the order of the text. Items of lists count as `[]`. */
export const listKeys = (text: string): string[][] => {
  const keys: string[][] = []
  readContext(text, text.length, path => keys.push(path))
  return keys
}

/** Returns the place of `cursor`; undefined inside comments and block scalars. */
export const readContext = (text: string, cursor: number, onKey?: OnKey): YamlContext | undefined => {
  const frames: Frame[] = []
  let offset = 0
  while (offset <= cursor) {
    const end = lineEnd(text, offset)
    const indentation = countSpaces(text, offset)
    const start = offset + indentation
    const isBlank = start >= end
    if (isBlank || text[start] === '#') {
      if (cursor <= end)
        return isBlank || cursor <= start ? atIndentation(frames, cursor - offset, cursor) : undefined
      offset = end + 1
      continue
    }
    const next = readBlockLine(text, { offset, start, end, cursor, onKey }, frames)
    if (typeof next !== 'number') return next.context
    offset = next
  }
  return undefined
}

interface Line {
  offset: number
  start: number
  end: number
  cursor: number
  onKey: OnKey | undefined
}

/** The position after what was read, or the context if the cursor was met. */
type Reading = number | { context: YamlContext | undefined }

/** Reads a line, and the flow collection that begins in it. Returns the start of the next line, or the context if the cursor was met. */
const readBlockLine = (text: string, line: Line, frames: Frame[]): Reading => {
  const afterDashes = readDashes(text, line, frames)
  if (typeof afterDashes !== 'number') return afterDashes
  const offset = readKey(text, line, afterDashes, frames)
  if (typeof offset !== 'number') return offset
  const { end, cursor, onKey } = line
  return isFlowStart(text, offset)
    ? readFlow(text, { offset, cursor, onKey }, frames)
    : readScalar(text, { offset, end, cursor }, frames)
}

/** Reads the dashes of list items. */
const readDashes = (
  text: string,
  { offset: lineStart, start, end, cursor }: Line,
  frames: Frame[],
): Reading => {
  let offset = start
  while (text[offset] === '-' && /\s|^$/.test(text[offset + 1] ?? '')) {
    const indentation = offset - lineStart
    if (cursor <= offset) return { context: undefined }
    closeFrames(frames, indentation, 'list')
    if (frames.at(-1)?.kind !== 'list' || frames.at(-1)?.indentation !== indentation)
      frames.push({ kind: 'list', indentation, key: undefined, scalars: new Map() })
    offset = skipSpaces(text, offset + 1, end)
    if (offset >= end && cursor <= end) return { context: describe(frames, 'value', cursor) }
  }
  return offset
}

/** Reads a key and its colon, if the text has one at `offset`. */
const readKey = (
  text: string,
  { offset: lineStart, end, cursor, onKey }: Line,
  offset: number,
  frames: Frame[],
): Reading => {
  const indentation = offset - lineStart
  keyPattern.lastIndex = offset
  const key = keyPattern.exec(text)
  const keyEnd = offset + (key?.[0].length ?? 0)
  if (!key || keyEnd > end) {
    const mayBecomeKey = cursor <= end && frames.at(-1)?.kind !== 'list' && !isFlowStart(text, offset)
    return mayBecomeKey ? { context: atIndentation(frames, indentation, offset) } : offset
  }
  closeFrames(frames, indentation, 'mapping')
  if (cursor < keyEnd) return { context: atIndentation(frames, indentation, offset) }
  openKey(frames, indentation, unquote(key[1] ?? ''))
  onKey?.(readPath(frames))
  return skipSpaces(text, keyEnd, end)
}

/** Reads a scalar up to the end of the line; skips the lines of a block scalar. */
const readScalar = (
  text: string,
  { offset, end, cursor }: Pick<Line, 'offset' | 'end' | 'cursor'>,
  frames: Frame[],
): Reading => {
  const comment = text.slice(offset, end).search(/(^|\s)#/)
  const scalarEnd = comment < 0 ? end : offset + comment
  if (cursor <= end) {
    return { context: cursor <= scalarEnd ? describe(frames, 'value', Math.min(offset, cursor)) : undefined }
  }
  const value = text.slice(offset, scalarEnd).trim()
  const frame = frames.at(-1)
  if (frame?.key !== undefined && value) frame.scalars.set(frame.key, unquote(value))
  if (!/^[|>][+-]?\d?$/.test(value)) return end + 1
  const indentation = frame?.indentation ?? 0
  let next = end + 1
  while (next < text.length) {
    const lineStop = lineEnd(text, next)
    const spaces = countSpaces(text, next)
    if (next + spaces < lineStop && spaces <= indentation) break
    if (cursor <= lineStop) return { context: undefined }
    next = lineStop + 1
  }
  return next
}

/** Reads a flow collection to its end. */
const readFlow = (
  text: string,
  { offset: start, cursor, onKey }: Pick<Line, 'offset' | 'cursor' | 'onKey'>,
  frames: Frame[],
): Reading => {
  const depth = frames.length
  let word = start
  for (let offset = start; offset < cursor; offset++) {
    const close = findClosingQuote(text, offset)
    if (close !== undefined) {
      if (close >= cursor) return { context: describeFlow(frames, offset + 1) }
      offset = close
    } else if (isCommentStart(text, offset)) {
      offset = lineEnd(text, offset)
      if (offset >= cursor) return { context: undefined }
      word = offset + 1
    } else if (takeFlowMark(text, { word, offset, onKey }, frames)) {
      word = offset + 1
      if (frames.length <= depth) return lineEnd(text, offset) + 1
    }
  }
  while (word < cursor && /\s/.test(text[word] ?? '')) word += 1
  return { context: describeFlow(frames, word) }
}

/** Opens a flow collection, closes one, or ends a key or a value of it. Returns false if the character does none of that. */
const takeFlowMark = (
  text: string,
  { word, offset, onKey }: { word: number; offset: number; onKey: OnKey | undefined },
  frames: Frame[],
): boolean => {
  const character = text[offset]
  const frame = frames.at(-1)
  if (isFlowStart(text, offset)) {
    const kind = character === '{' ? 'mapping' : 'list'
    frames.push({ kind, indentation: undefined, key: undefined, scalars: new Map() })
    return true
  }
  const readWord = () => unquote(text.slice(word, offset).trim())
  if (character === ':' && frame?.kind === 'mapping' && /[\s{["']/.test(text[offset + 1] ?? '')) {
    frame.key ??= readWord()
    onKey?.(readPath(frames))
    return true
  }
  if (character !== ',' && character !== '}' && character !== ']') return false
  const value = readWord()
  if (frame?.key !== undefined && value) frame.scalars.set(frame.key, value)
  if (frame?.kind === 'mapping') frame.key = undefined
  if (character !== ',') frames.pop()
  return true
}

/** Returns the end of the text if a quote is never closed, and undefined if there is none at `offset`. */
const findClosingQuote = (text: string, offset: number): number | undefined => {
  const quote = text[offset]
  if (quote !== '"' && quote !== "'") return undefined
  const close = text.indexOf(quote, offset + 1)
  return close < 0 ? text.length : close
}

const isCommentStart = (text: string, offset: number): boolean =>
  text[offset] === '#' && /\s/.test(text[offset - 1] ?? '')

const isFlowStart = (text: string, offset: number): boolean => text[offset] === '{' || text[offset] === '['

const describeFlow = (frames: Frame[], from: number): YamlContext => {
  const frame = frames.at(-1)
  return describe(frames, frame?.kind === 'mapping' && frame.key === undefined ? 'key' : 'value', from)
}

/** Closes what is indented deeper, and a list that ends at a key of the same indentation. */
const closeFrames = (frames: Frame[], indentation: number, kind: Frame['kind']): void => {
  for (;;) {
    const frame = frames.at(-1)
    const depth = frame?.indentation ?? -1
    if (!frame || depth < indentation) return
    if (depth === indentation && (frame.kind === kind || kind === 'list')) return
    frames.pop()
  }
}

const openKey = (frames: Frame[], indentation: number, key: string): void => {
  const frame = frames.at(-1)
  if (frame?.kind === 'mapping' && frame.indentation === indentation) {
    frame.key = key
    frame.scalars.set(key, '')
  } else frames.push({ kind: 'mapping', indentation, key, scalars: new Map([[key, '']]) })
}

/** The context of a key that begins at an indentation. */
const atIndentation = (frames: Frame[], indentation: number, from: number): YamlContext => {
  closeFrames(frames, indentation, 'mapping')
  const frame = frames.at(-1)
  if (frame?.kind === 'mapping' && frame.indentation === indentation) frame.key = undefined
  return describe(frames, 'key', from)
}

const readPath = (frames: readonly Frame[]): string[] =>
  frames.flatMap(({ kind, key }) => (kind === 'list' ? ['[]'] : key === undefined ? [] : [key]))

const describe = (
  frames: readonly Frame[],
  position: YamlContext['position'],
  from: number,
): YamlContext => ({
  path: readPath(frames),
  scalars: frames.map(frame => frame.scalars),
  position,
  from,
})

const unquote = (text: string): string => text.replace(/^(["'])(.*)\1$/, '$2')

const lineEnd = (text: string, offset: number): number => {
  const end = text.indexOf('\n', offset)
  return end < 0 ? text.length : end
}

const skipSpaces = (text: string, start: number, end: number): number => {
  let offset = start
  while (offset < end && text[offset] === ' ') offset += 1
  return offset
}

const countSpaces = (text: string, offset: number): number => {
  let spaces = 0
  while (text[offset + spaces] === ' ') spaces += 1
  return spaces
}
