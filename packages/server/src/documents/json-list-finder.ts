/** Finds the lists of objects inside a streamed JSON object, by their paths. Looks into no list, and checks no syntax. */
import { documentDepthMax } from './document-size.ts'

export interface FoundList {
  /** Names of the objects around it, joined by dots. */
  path: string
  /** Position of its `[` in the stream. */
  offset: number
  /** Line of its `[`, from 1. */
  line: number
  /** Number of objects that were seen in it so far. */
  objects: number
}

const code = (character: string): number => character.charCodeAt(0)
const [lineFeed, quote, backslash, comma, colon] = [code('\n'), code('"'), code('\\'), code(','), code(':')]
const [openArray, closeArray, openObject, closeObject] = [code('['), code(']'), code('{'), code('}')]

/** A longer name is in no path. */
const nameBytesMax = 1024

/** `rows` is the path of the list to choose; without it, the longest one counts. Give it the chunks of the stream in order. */
export const createListFinder = (rows?: string) => {
  let offset = 0
  let line = 1
  let inText = false
  let escaped = false
  /** Names of the objects that are open; undefined for the outermost one. */
  const names: (string | undefined)[] = []
  let name = ''
  let nameBytes: number[] | undefined
  let expectsName = false
  let isComplete = false
  let isTooDeep = false
  let open: FoundList | undefined
  /** Depth inside the open list. */
  let depth = 0
  let stated: FoundList | undefined
  let longest: FoundList | undefined
  const inList = (byte: number) => {
    if (!open) return
    if (byte === openObject || byte === openArray) {
      if (depth === 0 && byte === openObject) {
        open.objects += 1
        if (!longest || open.objects > longest.objects) longest = open
        if (open.path === rows) stated ??= open
      }
      depth += 1
    } else if (byte === closeObject || byte === closeArray) {
      if (depth === 0) open = undefined
      depth -= 1
    }
  }
  const inObject = (byte: number, position: number) => {
    if (byte === openObject) {
      names.push(names.length === 0 ? undefined : name)
      expectsName = true
      isTooDeep ||= names.length > documentDepthMax
    } else if (byte === openArray) {
      open = { path: [...names.slice(1), name].join('.'), offset: position, line, objects: 0 }
      depth = 0
    } else if (byte === closeObject) {
      names.pop()
      isComplete = names.length === 0
    } else if (byte === comma) expectsName = true
    else if (byte === colon) expectsName = false
  }
  const endText = () => {
    inText = false
    if (!nameBytes) return
    name = readName(nameBytes)
    nameBytes = undefined
  }
  return {
    isStated: rows !== undefined,
    take(bytes: Uint8Array): void {
      for (let index = 0; index < bytes.length && !isComplete && !isTooDeep; index += 1) {
        const byte = bytes[index] ?? 0
        if (byte === lineFeed) line += 1
        if (inText) {
          if (escaped) escaped = false
          else if (byte === backslash) escaped = true
          else if (byte === quote) {
            endText()
            continue
          }
          if (nameBytes && nameBytes.length <= nameBytesMax) nameBytes.push(byte)
        } else if (byte === quote) {
          inText = true
          nameBytes = expectsName && !open ? [] : undefined
        } else if (open) inList(byte)
        else inObject(byte, offset + index)
      }
      offset += bytes.length
    },
    /** The list to read, as far as the stream was seen. */
    chosen: (): FoundList | undefined => (rows === undefined ? longest : stated),
    longest: (): FoundList | undefined => longest,
    /** The list that is not closed yet. */
    open: (): FoundList | undefined => open,
    /** Whether the object has ended. */
    isComplete: (): boolean => isComplete,
    isTooDeep: (): boolean => isTooDeep,
  }
}

const readName = (bytes: readonly number[]): string => {
  const text = Buffer.from(bytes).toString()
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}
