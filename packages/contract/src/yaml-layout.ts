/** Places of entries and comments in a YAML text. */
import { isAlias, isCollection, isPair, isScalar, type YAMLMap, type YAMLSeq } from 'yaml'
import type { YamlStyle } from './yaml-render.ts'

export interface Splice {
  from: number
  to: number
  text: string
}

export interface Editor {
  text: string
  style: YamlStyle
  splices: Splice[]
}

/** The text has a form that this file cannot change in place, such as an explicit key `? a`. */
export class UnsupportedLayout extends Error {}

export const readKey = (key: unknown): string => {
  if (!isScalar(key)) throw new UnsupportedLayout()
  return String(key.value)
}

export const readRange = (node: unknown): [number, number] => {
  const range = isScalar(node) || isCollection(node) || isAlias(node) ? node.range : undefined
  if (!range) throw new UnsupportedLayout()
  return [range[0], range[1]]
}

export const findColon = (map: YAMLMap, key: unknown): number => {
  const pair = map.items.find(item => item.key === key)
  const offset = pair?.srcToken?.sep?.find(({ type }) => type === 'map-value-ind')?.offset
  if (offset === undefined) throw new UnsupportedLayout()
  return offset
}

export const findDash = ({ srcToken }: YAMLMap | YAMLSeq, index: number): number => {
  const item = srcToken?.type === 'block-seq' ? srcToken.items[index] : undefined
  const offset = item?.start.find(({ type }) => type === 'seq-item-ind')?.offset
  if (offset === undefined) throw new UnsupportedLayout()
  return offset
}

/** Returns the end of the last value in a node, without comments and line ends behind it. */
export const contentEnd = (text: string, node: unknown): number => {
  if (isCollection(node) && !node.flow && node.items.length > 0) {
    const last: unknown = node.items.at(-1)
    return contentEnd(text, isPair(last) ? (last.value ?? last.key) : last)
  }
  let end = readRange(node)[1]
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end--
  return end
}

export const lineStart = (text: string, position: number): number => text.lastIndexOf('\n', position - 1) + 1

export const nextLine = (text: string, position: number): number => {
  const end = text.indexOf('\n', position)
  return end === -1 ? text.length : end + 1
}

export const isAloneOnLine = (text: string, position: number): boolean =>
  text.slice(lineStart(text, position), position).trim() === ''

/** Returns the start of the lines of an entry: of the comments directly above it that are indented like it. */
export const chunkStart = (text: string, position: number): number => {
  let start = lineStart(text, position)
  const margin = text.slice(start, position)
  while (start > 0) {
    const lineAbove = lineStart(text, start - 1)
    if (!text.slice(lineAbove, start).startsWith(`${margin}#`)) break
    start = lineAbove
  }
  return start
}
