/** Changes values in a YAML text and leaves every other character as it is. */
import { isCollection, isMap, isPair, isScalar, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml'
import { canonicalText, isEqual, isPlain, type Plain } from './plain-data.ts'
import {
  chunkStart,
  contentEnd,
  type Editor,
  findColon,
  findDash,
  isAloneOnLine,
  lineStart,
  nextLine,
  readKey,
  readRange,
  type Splice,
  UnsupportedLayout,
} from './yaml-layout.ts'
import { readStyle, renderEntry, renderFlow, renderItem, renderKey, renderValue } from './yaml-render.ts'
import { spliceFlow } from './yaml-splice-flow.ts'

/**
 * Returns the text with the content of `target`. `current` is the content of the text. A comment directly above an entry belongs to it: it moves
 * and goes with it. Returns undefined if the layout is too unusual; the caller checks what the result means, because of anchors.
 */
export const spliceYaml = (text: string, current: Plain, target: Plain): string | undefined => {
  const document = parseDocument(text, {
    prettyErrors: false,
    uniqueKeys: false,
    stringKeys: true,
    keepSourceTokens: true,
  })
  if (!isMap(document.contents)) return undefined
  const editor: Editor = { text, style: readStyle(text), splices: [] }
  try {
    spliceMap(editor, document.contents, current, target, 0)
  } catch (error) {
    if (error instanceof UnsupportedLayout) return undefined
    throw error
  }
  return applySplices(editor)
}

const applySplices = ({ text, splices }: Editor): string | undefined => {
  // Stable: what is inserted at one place stays in the order of the edits, from the inside out.
  const sorted = splices.toSorted((one, next) => one.from - next.from || one.to - next.to)
  const parts: string[] = []
  let position = 0
  for (const { from, to, text: inserted } of sorted) {
    if (from < position) return undefined
    parts.push(text.slice(position, from), inserted)
    position = to
  }
  return `${parts.join('')}${text.slice(position)}`
}

/** `depth` is the number of keys and positions above the map. */
const spliceMap = (editor: Editor, map: YAMLMap, current: Plain, target: Plain, depth: number): void => {
  const removed = new Set(Object.keys(current).filter(key => !Object.hasOwn(target, key)))
  const added = listAdded(map, current, target)
  for (const { key, value } of map.items) {
    const name = readKey(key)
    if (removed.has(name) || isEqual(current[name], target[name])) continue
    spliceValue(editor, map, { key, value, current: current[name], target: target[name], depth: depth + 1 })
  }
  if (map.flow) {
    const [{ position } = { position: map.items.length }] = added
    spliceFlow(
      editor,
      map,
      removed,
      added.map(({ key, value }) => renderFlowEntry(editor, key, value)),
      added.every(entry => entry.position === position) ? position : map.items.length,
    )
  } else spliceLines(editor, map, removed, added, depth)
}

interface AddedEntry {
  key: string
  value: unknown
  /** Position of the entry of the text that it precedes; the number of entries if it comes last. */
  position: number
}

/** Entries that are only in `target`. Each precedes the entry of the text that follows it there. */
const listAdded = (map: YAMLMap, current: Plain, target: Plain): AddedEntry[] => {
  const keys = Object.keys(target)
  const positions = new Map(map.items.map(({ key }, index) => [readKey(key), index]))
  return keys.flatMap((key, index) => {
    if (Object.hasOwn(current, key)) return []
    const next = keys.slice(index + 1).find(name => Object.hasOwn(current, name))
    const position = next === undefined ? undefined : positions.get(next)
    return [{ key, value: target[key], position: position ?? map.items.length }]
  })
}

interface Slot {
  key: unknown
  value: unknown
  current: unknown
  target: unknown
  depth: number
}

/** Changes the value of one key. */
const spliceValue = (editor: Editor, map: YAMLMap, { key, value, current, target, depth }: Slot): void => {
  if (changesInside(editor, value, current, target, depth)) return
  if (!map.flow && isCollection(value) && !value.flow && isEmptyCollection(target)) {
    emptyCollection(editor, map, key, value, target)
    return
  }
  const flow = renderFlow(target, editor.style, isScalar(value) ? value.type : undefined)
  if (map.flow) {
    replaceNode(editor, value, flow)
    return
  }
  const colonEnd = findColon(map, key) + 1
  const isEmpty = isScalar(value) && value.range?.[0] === value.range?.[1]
  const column = readRange(key)[0] - lineStart(editor.text, readRange(key)[0])
  const rendered = renderValue({ value: target, depth, column, isNeighborBlock: undefined }, editor.style)
  const isOneLine = !rendered.includes('\n')
  if (isOneLine && !isEmpty && (!isCollection(value) || value.flow)) replaceNode(editor, value, flow)
  else
    editor.splices.push({
      from: colonEnd,
      to: isEmpty ? colonEnd : contentEnd(editor.text, value),
      text: rendered,
    })
}

const isEmptyCollection = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0

/** Removes all entries; comments between them stay. */
const emptyCollection = (
  { text, splices, style }: Editor,
  map: YAMLMap,
  key: unknown,
  node: YAMLMap | YAMLSeq,
  target: object,
): void => {
  const colonEnd = findColon(map, key) + 1
  splices.push({ from: colonEnd, to: colonEnd, text: ` ${renderFlow(target, style)}` })
  for (const [index, item] of node.items.entries()) {
    const start = isPair(item) ? readRange(item.key)[0] : findDash(node, index)
    const last = isPair(item) ? (item.value ?? item.key) : item
    if (!isAloneOnLine(text, start)) throw new UnsupportedLayout()
    splices.push({ from: chunkStart(text, start), to: nextLine(text, contentEnd(text, last)), text: '' })
  }
}

/** Changes parts of a map or list, if both contents are of this form. Returns false if the whole value has to be replaced. */
const changesInside = (
  editor: Editor,
  node: unknown,
  current: unknown,
  target: unknown,
  depth: number,
): boolean => {
  const isWhole = !isCollection(node) || node.items.length === 0
  if (isWhole) return false
  if (isMap(node) && isPlain(current) && isPlain(target) && Object.keys(target).length > 0) {
    spliceMap(editor, node, current, target, depth)
    return true
  }
  if (isSeq(node) && Array.isArray(current) && Array.isArray(target) && target.length > 0) {
    spliceSequence(editor, node, current, target, depth)
    return true
  }
  return false
}

const replaceNode = (editor: Editor, node: unknown, text: string): void => {
  const [from, to] = readRange(node)
  if (from === to) throw new UnsupportedLayout()
  editor.splices.push({ from, to, text })
}

const renderFlowEntry = ({ style }: Editor, key: string, value: unknown): string =>
  `${renderKey(key, style)}: ${renderFlow(value, style)}`

/** Removes and adds entries of a map that has a line for each. */
const spliceLines = (
  editor: Editor,
  map: YAMLMap,
  removed: ReadonlySet<string>,
  added: readonly AddedEntry[],
  depth: number,
): void => {
  const { text, splices } = editor
  for (const [index, { key, value }] of map.items.entries()) {
    if (!removed.has(readKey(key))) continue
    const start = readRange(key)[0]
    const next = map.items[index + 1]
    if (isAloneOnLine(text, start))
      splices.push({
        from: chunkStart(text, start),
        to: nextLine(text, contentEnd(text, value ?? key)),
        text: '',
      })
    else if (next)
      // The first key of a list item shares its line with the dash.
      splices.push({ from: start, to: readRange(next.key)[0], text: '' })
    else throw new UnsupportedLayout()
  }
  addLines(editor, map, added, depth)
}

const addLines = (editor: Editor, map: YAMLMap, added: readonly AddedEntry[], depth: number): void => {
  const { text, style } = editor
  const last = map.items.at(-1)
  if (added.length === 0 || !last) return
  const keyStart = readRange(map.items[0]?.key)[0]
  const column = keyStart - lineStart(text, keyStart)
  const neighbor = map.items.findLast(({ value }) => isCollection(value) && value.items.length > 0)?.value
  const isNamed = depth % 2 === 1
  const isNeighborBlock = isNamed && isCollection(neighbor) ? !neighbor.flow : undefined
  const margin = ' '.repeat(column)
  const gap = depth === 0 && /\n[ \t]*\r?\n(#[^\n]*\n)*\S/.test(text) ? style.newline : ''
  const end = nextLine(text, contentEnd(text, last.value ?? last.key))
  for (const [position, entries] of Map.groupBy(added, entry => entry.position)) {
    const next = map.items[position]
    const start = next && readRange(next.key)[0]
    const lines = entries.map(
      ({ key, value }) =>
        `${margin}${renderEntry({ key, value, depth: depth + 1, column, isNeighborBlock }, style)}`,
    )
    // The first key of a list item shares its line with the dash.
    if (start !== undefined && isAloneOnLine(text, start))
      insertLines(
        editor,
        chunkStart(text, start),
        lines.map(line => `${line}${gap}`),
      )
    else
      insertLines(
        editor,
        end,
        lines.map(line => `${gap}${line}`),
      )
  }
}

const insertLines = ({ text, style, splices }: Editor, position: number, lines: readonly string[]): void => {
  const isOpenEnd = position > 0 && text[position - 1] !== '\n'
  const inserted = lines.map(line => (isOpenEnd ? `${style.newline}${line}` : `${line}${style.newline}`))
  splices.push({ from: position, to: position, text: inserted.join('') })
}

/** Changes a list: what is equal at its start and end stays; between them items are changed, moved, added and removed. */
const spliceSequence = (
  editor: Editor,
  sequence: YAMLSeq,
  current: readonly unknown[],
  target: readonly unknown[],
  depth: number,
): void => {
  const { start, end } = countEqualEnds(current, target)
  const chunks = sequence.items.map((item, index) => readChunk(editor, sequence, item, index))
  const currentEnd = current.length - end
  const targetEnd = target.length - end
  const matches = matchItems(current.slice(start, currentEnd), target.slice(start, targetEnd))
  const isUsed = new Set(matches)
  const slots = Math.min(currentEnd, targetEnd)
  for (let index = start; index < slots; index++) {
    const match = matches[index - start]
    const chunk = chunks[index]
    if (!chunk || match === index - start) continue
    const moved = match === undefined ? undefined : chunks[start + match]
    if (moved) editor.splices.push({ ...chunk, text: moved.text })
    else if (
      isUsed.has(index - start) ||
      !changesInside(editor, sequence.items[index], current[index], target[index], depth + 1)
    )
      editor.splices.push({ ...chunk, text: renderChunk(editor, sequence, target[index], depth) })
  }
  const addedTexts = target.slice(slots, targetEnd).map((value, index) => {
    const match = matches[slots - start + index]
    return match === undefined
      ? renderChunk(editor, sequence, value, depth)
      : (chunks[start + match]?.text ?? '')
  })
  const removed = new Set([...chunks.keys()].filter(index => index >= slots && index < currentEnd))
  if (sequence.flow) {
    spliceFlow(editor, sequence, removed, addedTexts, slots)
    return
  }
  for (const index of removed) {
    const chunk = chunks[index]
    if (chunk) editor.splices.push({ ...chunk, text: '' })
  }
  const position = slots === 0 ? chunks[0]?.from : chunks[slots - 1]?.to
  if (position !== undefined && addedTexts.length > 0)
    insertLines(
      editor,
      position,
      addedTexts.map(text => text.replace(/\r?\n$/, '')),
    )
}

/** Number of items that are equal at the start and, behind those, at the end. */
const countEqualEnds = (current: readonly unknown[], target: readonly unknown[]) => {
  const shorter = Math.min(current.length, target.length)
  let start = 0
  while (start < shorter && isEqual(current[start], target[start])) start++
  let end = 0
  while (end < shorter - start && isEqual(current.at(-1 - end), target.at(-1 - end))) end++
  return { start, end }
}

/** Returns for each target item the position of an equal current item, each used once. */
const matchItems = (current: readonly unknown[], target: readonly unknown[]): (number | undefined)[] => {
  // Items that stay in their place keep it.
  const fixed = target.map((item, index) => index < current.length && isEqual(item, current[index]))
  const movable = [...current.keys()].filter(index => !fixed[index])
  const positions = Map.groupBy(movable, index => canonicalText(current[index]))
  // From the end, so that `pop` takes the first one.
  for (const indexes of positions.values()) indexes.reverse()
  return target.map((item, index) => (fixed[index] ? index : positions.get(canonicalText(item))?.pop()))
}

/** Returns the place of an item, with its lines and the comment above it in a list that has a line for each. */
const readChunk = ({ text, style }: Editor, sequence: YAMLSeq, item: unknown, index: number): Splice => {
  if (sequence.flow) {
    const [from, to] = readRange(item)
    return { from, to, text: text.slice(from, to) }
  }
  const dash = findDash(sequence, index)
  if (!isAloneOnLine(text, dash)) throw new UnsupportedLayout()
  const start = chunkStart(text, dash)
  const end = nextLine(text, contentEnd(text, item))
  const lines = text.slice(start, end)
  return { from: start, to: end, text: lines.endsWith('\n') ? lines : `${lines}${style.newline}` }
}

const renderChunk = ({ text, style }: Editor, sequence: YAMLSeq, value: unknown, depth: number): string => {
  if (sequence.flow) return renderFlow(value, style)
  const dash = findDash(sequence, 0)
  const column = dash - lineStart(text, dash)
  return `${' '.repeat(column)}${renderItem(value, depth + 1, column, style)}${style.newline}`
}
