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

/** Reads a line, and the flow collection that begins in it. Returns the start of the next line, or the context if the cursor was met. */
const readBlockLine = (
  text: string,
  { offset: lineStart, start, end, cursor, onKey }: Line,
  frames: Frame[],
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: older than the limit
): number | { context: YamlContext | undefined } => {
  let offset = start
  while (text[offset] === '-' && /\s|^$/.test(text[offset + 1] ?? '')) {
    const indentation = offset - lineStart
    if (cursor <= offset) return { context: undefined }
    closeFrames(frames, indentation, 'list')
    if (frames.at(-1)?.kind !== 'list' || frames.at(-1)?.indentation !== indentation)
      frames.push({ kind: 'list', indentation, key: undefined, scalars: new Map() })
    offset += 1
    while (offset < end && text[offset] === ' ') offset += 1
    if (offset >= end && cursor <= end) return { context: describe(frames, 'value', cursor) }
  }
  const indentation = offset - lineStart
  keyPattern.lastIndex = offset
  const key = keyPattern.exec(text)
  if (key && key.index + key[0].length <= end) {
    closeFrames(frames, indentation, 'mapping')
    const keyEnd = offset + key[0].length
    if (cursor < keyEnd) return { context: atIndentation(frames, indentation, offset) }
    openKey(frames, indentation, unquote(key[1] ?? ''))
    onKey?.(readPath(frames))
    offset = keyEnd
    while (offset < end && text[offset] === ' ') offset += 1
  } else if (
    cursor <= end &&
    frames.at(-1)?.kind !== 'list' &&
    !/^[{[]/.test(text.slice(offset, offset + 1))
  ) {
    return { context: atIndentation(frames, indentation, offset) }
  }
  if (/^[{[]/.test(text.slice(offset, offset + 1))) return readFlow(text, { offset, cursor, onKey }, frames)
  return readScalar(text, { offset, end, cursor }, frames)
}

/** Reads a scalar up to the end of the line; skips the lines of a block scalar. */
const readScalar = (
  text: string,
  { offset, end, cursor }: Pick<Line, 'offset' | 'end' | 'cursor'>,
  frames: Frame[],
): number | { context: YamlContext | undefined } => {
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
  // biome-ignore lint/complexity/noExcessiveCognitiveComplexity: older than the limit
): number | { context: YamlContext | undefined } => {
  const depth = frames.length
  let word = start
  for (let offset = start; offset < cursor; offset++) {
    const character = text[offset]
    const frame = frames.at(-1)
    if (character === '"' || character === "'") {
      const close = text.indexOf(character, offset + 1)
      if (close < 0 || close >= cursor) return { context: describeFlow(frames, offset + 1) }
      offset = close
    } else if (character === '#' && /\s/.test(text[offset - 1] ?? '')) {
      offset = lineEnd(text, offset)
      if (offset >= cursor) return { context: undefined }
      word = offset + 1
    } else if (character === '{' || character === '[') {
      const kind = character === '{' ? 'mapping' : 'list'
      frames.push({ kind, indentation: undefined, key: undefined, scalars: new Map() })
      word = offset + 1
    } else if (character === ':' && frame?.kind === 'mapping' && /[\s{["']/.test(text[offset + 1] ?? '')) {
      frame.key ??= unquote(text.slice(word, offset).trim())
      onKey?.(readPath(frames))
      word = offset + 1
    } else if (character === ',' || character === '}' || character === ']') {
      const value = unquote(text.slice(word, offset).trim())
      if (frame?.key !== undefined && value) frame.scalars.set(frame.key, value)
      if (frame?.kind === 'mapping') frame.key = undefined
      if (character !== ',') frames.pop()
      word = offset + 1
      if (frames.length <= depth) return lineEnd(text, offset) + 1
    }
  }
  while (word < cursor && /\s/.test(text[word] ?? '')) word += 1
  return { context: describeFlow(frames, word) }
}

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

const countSpaces = (text: string, offset: number): number => {
  let spaces = 0
  while (text[offset + spaces] === ' ') spaces += 1
  return spaces
}
