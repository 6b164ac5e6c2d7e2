/** The last line of a backup: what it lacks. The server writes it, the command line and the console read it. */
import type { MissingDocuments } from './manage/server.ts'

export interface BackupReader {
  /** Takes the next unpacked bytes of the backup. */
  add(bytes: Uint8Array): void
  /** Returns what the backup lacks. Throws if its end is missing. */
  missing(): MissingDocuments[]
}

const newline = 0x0a

/** Remembers the last line of an unpacked backup while its bytes pass. */
export const createBackupReader = (): BackupReader => {
  let line: Uint8Array[] = []
  let isLineComplete = false
  const append = (bytes: Uint8Array) => {
    if (bytes.length === 0) return
    if (isLineComplete) line = []
    isLineComplete = false
    line.push(bytes)
  }
  return {
    add(bytes) {
      const end = bytes.at(-1) === newline ? bytes.length - 1 : bytes.length
      const start = end === 0 ? 0 : bytes.lastIndexOf(newline, end - 1) + 1
      if (start > 0) line = []
      append(bytes.slice(start, end))
      if (end < bytes.length) isLineComplete = true
    },
    missing() {
      const decoder = new TextDecoder()
      const text = line.map(bytes => decoder.decode(bytes, { stream: true })).join('') + decoder.decode()
      const value: { end?: { missing?: unknown } } = Object(isLineComplete ? JSON.parse(text) : undefined)
      if (!value.end) throw new Error('the end of the backup is missing')
      const { missing } = value.end
      return Array.isArray(missing) ? missing.flatMap(readMissing) : []
    },
  }
}

const readMissing = (value: unknown): MissingDocuments[] => {
  const { workspace, collection, generation, live, reason }: Record<string, unknown> = Object(value)
  const isText = (text: unknown): text is string => typeof text === 'string'
  return isText(workspace) && isText(collection) && isText(generation) && isText(reason)
    ? [{ workspace, collection, generation, live: live === true, reason }]
    : []
}
