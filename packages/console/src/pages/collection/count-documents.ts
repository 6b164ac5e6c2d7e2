/** How many documents a file holds, for people who are asked whether it shall replace others. */

/** More is not read; the rest is taken to be like it. */
const bytesReadMax = 32 * 1024 * 1024
const [newline, quote, backslash, comma] = [0x0a, 0x22, 0x5c, 0x2c]
const [openBrackets, closeBrackets] = [
  [0x5b, 0x7b],
  [0x5d, 0x7d],
]
const blanks = [0x09, 0x0a, 0x0d, 0x20]

export interface DocumentCount {
  documents: number
  /** Whether the file is so large that only its beginning was counted. */
  isEstimate: boolean
}

/** Takes chunks of the file one after the other; `total` is what it has found, as if the file ended there. */
interface Counter {
  take(bytes: Uint8Array): void
  total(): number
}

export const countDocuments = async (file: File, type: string): Promise<DocumentCount> => {
  const counter = createCounter(type)
  const read = Math.min(file.size, bytesReadMax)
  const reader = file.slice(0, read).stream().getReader()
  for (let chunk = await reader.read(); chunk.value; chunk = await reader.read()) counter.take(chunk.value)
  if (read === file.size) return { documents: counter.total(), isEstimate: false }
  return { documents: Math.round(counter.total() * (file.size / read)), isEstimate: true }
}

const createCounter = (type: string): Counter => {
  if (type === 'application/json') return countItems()
  return ['text/csv', 'text/tab-separated-values'].includes(type) ? countRecords() : countLines()
}

/** Lines that are not blank. */
const countLines = (): Counter => {
  let lines = 0
  let isBlank = true
  return {
    take(bytes) {
      for (const byte of bytes) {
        if (byte === newline) isBlank = true
        else if (isBlank && !blanks.includes(byte)) {
          isBlank = false
          lines += 1
        }
      }
    },
    total: () => lines,
  }
}

/** Lines without the header; a quoted value may hold line breaks. */
const countRecords = (): Counter => {
  let records = 0
  let isBlank = true
  let isQuoted = false
  return {
    take(bytes) {
      for (const byte of bytes) {
        if (byte === quote) isQuoted = !isQuoted
        if (byte === newline && !isQuoted) isBlank = true
        else if (isBlank && !blanks.includes(byte)) {
          isBlank = false
          records += 1
        }
      }
    },
    total: () => Math.max(0, records - 1),
  }
}

/** Items of the outermost array. */
const countItems = (): Counter => {
  let depth = 0
  let items = 0
  let isEmpty = true
  let isQuoted = false
  let isEscaped = false
  return {
    take(bytes) {
      for (const byte of bytes) {
        if (isQuoted) takeQuoted(byte)
        else takeStructure(byte)
      }
    },
    total: () => items,
  }

  function takeQuoted(byte: number) {
    if (isEscaped) isEscaped = false
    else if (byte === backslash) isEscaped = true
    else if (byte === quote) isQuoted = false
  }

  function takeStructure(byte: number) {
    if (depth === 1 && isEmpty && !blanks.includes(byte) && !closeBrackets.includes(byte)) {
      isEmpty = false
      items = 1
    }
    if (byte === quote) isQuoted = true
    else if (openBrackets.includes(byte)) depth += 1
    else if (closeBrackets.includes(byte)) depth -= 1
    else if (byte === comma && depth === 1) items += 1
  }
}
