/** Writes values as YAML in the style of a text. */
import { Document, isScalar, type Scalar } from 'yaml'
import { isPlain, type Plain } from './plain-data.ts'

export interface YamlStyle {
  newline: string
  /** Columns per level. */
  indent: number
  /** Whether a list is indented below its key. */
  indentsLists: boolean
  isJson: boolean
  /** `{ a: 1 }` instead of `{a: 1}`. */
  padsMaps: boolean
  /** `[ a ]` instead of `[a]`. */
  padsLists: boolean
}

/** A longer value is written on several lines. */
const flowCharactersMax = 120

/** Returns the style that most of the text has. */
export const readStyle = (text: string): YamlStyle => {
  const [, indent = '  '] = /\n([ \t]+)[^\s#-]/.exec(text) ?? []
  const isJson = text.trimStart().startsWith('{') && /^\{\s*["}]/.test(text.trimStart())
  return {
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    indent: Math.min(indent.length, 8),
    indentsLists: !/^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(text),
    isJson,
    padsMaps: !/\{[^\s{}]/.test(text) || /\{ /.test(text),
    padsLists: /\[ [^\]]/.test(text),
  }
}

/** Returns the value on one line. `quoting` is the type of a string before the edit. */
export const renderFlow = (value: unknown, style: YamlStyle, quoting?: Scalar.Type): string => {
  if (Array.isArray(value)) {
    const items = value.map(item => renderFlow(item, style)).join(', ')
    return items !== '' && style.padsLists ? `[ ${items} ]` : `[${items}]`
  }
  if (!isPlain(value)) return renderScalar(value, style, quoting)
  const entries = listEntries(value)
    .map(([key, item]) => `${renderKey(key, style)}: ${renderFlow(item, style)}`)
    .join(', ')
  return entries !== '' && style.padsMaps ? `{ ${entries} }` : `{${entries}}`
}

export const renderKey = (key: string, style: YamlStyle): string => renderScalar(key, style)

/** A key and its value in a map of the file. `depth` is the number of keys and positions above the value, and itself. */
export interface NewEntry {
  key: string
  value: unknown
  depth: number
  /** Column of the key. */
  column: number
  /** Whether its neighbors are written on several lines; undefined: they don't tell. */
  isNeighborBlock?: boolean | undefined
}

/** Returns `key: value`, without the indent of the first line and the last end of line. */
export const renderEntry = (entry: NewEntry, style: YamlStyle): string =>
  `${renderKey(entry.key, style)}:${renderValue(entry, style)}`

/** Returns what follows the colon of a key. */
export const renderValue = (
  { value, depth, column, isNeighborBlock }: Omit<NewEntry, 'key'>,
  style: YamlStyle,
): string => {
  if (!isBlock(value, depth, style, isNeighborBlock)) return ` ${renderFlow(value, style)}`
  const isList = Array.isArray(value)
  const inner = column + (isList && !style.indentsLists ? 0 : style.indent)
  const lines = isList
    ? value.map(item => renderItem(item, depth + 1, inner, style))
    : listEntries(value as Plain).map(([key, item]) =>
        renderEntry({ key, value: item, depth: depth + 1, column: inner }, style),
      )
  const margin = ' '.repeat(inner)
  return lines.map(line => `${style.newline}${margin}${line}`).join('')
}

/** Returns `- value`, without the indent of the first line. */
export const renderItem = (value: unknown, depth: number, column: number, style: YamlStyle): string => {
  if (!isPlain(value) || !isBlock(value, depth, style)) return `- ${renderFlow(value, style)}`
  const entries = listEntries(value).map(([key, item]) =>
    renderEntry({ key, value: item, depth: depth + 1, column: column + 2 }, style),
  )
  return `- ${entries.join(`${style.newline}${' '.repeat(column + 2)}`)}`
}

/** Sections and named things are written on several lines; a field, an endpoint or a rule is written on one. */
const isBlock = (value: unknown, depth: number, style: YamlStyle, isNeighborBlock?: boolean): boolean => {
  if (style.isJson || !isCollection(value)) return false
  if (renderFlow(value, style).length > flowCharactersMax) return true
  if (isNeighborBlock !== undefined) return isNeighborBlock
  if (depth <= 2) return !Array.isArray(value) || hasCollection(value)
  return depth === 3 && hasCollection(value)
}

const isCollection = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

const hasCollection = (value: object): boolean =>
  Object.values(value).some(item => typeof item === 'object' && item !== null)

const listEntries = (value: Plain): [string, unknown][] =>
  Object.entries(value).filter(([, item]) => item !== undefined)

const renderScalar = (value: unknown, { isJson }: YamlStyle, quoting?: Scalar.Type): string => {
  // The library folds text with line breaks.
  if (isJson || typeof value !== 'string' || /\p{Cc}/u.test(value)) return JSON.stringify(value)
  const document = new Document([value])
  const list = document.createNode([value], { flow: true })
  const [scalar] = list.items
  if (isScalar(scalar) && (quoting === 'QUOTE_DOUBLE' || quoting === 'QUOTE_SINGLE')) scalar.type = quoting
  document.contents = list as never
  return document
    .toString({
      lineWidth: 0,
      flowCollectionPadding: false,
      doubleQuotedMinMultiLineLength: Number.POSITIVE_INFINITY,
    })
    .trim()
    .slice(1, -1)
}
