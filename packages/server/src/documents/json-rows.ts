/**
 * Finds the documents in streamed JSON: the items of an array, of one list of objects inside an object, or of an object of objects. Items stay text until they are
 * parsed one by one, so the body may have any size and every digit of a number stays. The streaming parser @streamparser/json makes values
 * at once, and took twice as long for 13 MB (0.45 s instead of 0.25 s, with JSON.parse).
 */
import { findJsonFault } from '@querent/contract/json-fault'
import { readArrayItems } from './array-items.ts'
import { flattenFeature } from './geojson.ts'
import { createListFinder, type FoundList } from './json-list-finder.ts'
import { readRowTable } from './json-row-tables.ts'
import { readJsonSequence } from './json-sequence.ts'
import { readColumns, readKeyedLists, readRows } from './json-tables.ts'
import { type Line, lineBytesMax, tooLong } from './lines.ts'

/** So much of an object is read before its longest list is chosen. */
const lookaheadBytes = 8 * 1024 * 1024
/** A table whose values are columns is read as a whole. */
const tableBytesMax = 64 * 1024 * 1024
const openObject = '{'.charCodeAt(0)

/**
 * Yields the documents of a body. `rows` is the path of the list inside an object, such as `data.items`; without it, the longest list of
 * objects is taken, or an object of objects, whose names become the attribute `key`. Values in a list of plain values become the attribute
 * `value`. Features of a GeoJSON feature collection (RFC 7946, section 3) become flat documents. Faults are those of
 * {@link readArrayItems}. Rows that are lists become documents, by the names in the first row or by position; so does an object whose values are the
 * columns of a table. An object without any of these is one document; objects that follow each other are one each. `isCut`: the body is the beginning of a
 * file. `onList` receives the path of the list, and of others with several objects.
 */
export async function* readJsonRows(
  source: AsyncIterable<Uint8Array>,
  rows?: string,
  isCut = false,
  onList?: OnList,
): AsyncGenerator<Line[]> {
  const chunks = source[Symbol.asyncIterator]()
  try {
    const { isObject, read } = await readStart(chunks)
    if (isObject) yield* readObject(read, chunks, { rows, isCut, onList })
    else if (rows === undefined) yield* readArray(continueWith(read, chunks))
    else yield [{ number: 1, text: '', fault: 'rows names a list inside an object, and the body is none' }]
  } finally {
    await chunks.return?.()
  }
}

/** If the first item is a plain value or a list, the others become documents in the same way. */
async function* readArray(source: AsyncIterable<Uint8Array>): AsyncGenerator<Line[]> {
  let toDocument: ((line: Line) => Line) | undefined
  let heldLines: Line[] = []
  for await (const lines of readArrayItems(source)) {
    heldLines.push(...lines)
    const [first, second] = heldLines
    if (!toDocument && first) {
      const text = first.text.trim()
      if (!text.startsWith('[')) toDocument = isPlainValue(text) ? wrapPlainValue : line => line
      else if (second) toDocument = startRows()
    }
    if (!toDocument) continue
    yield heldLines.map(toDocument)
    heldLines = []
  }
  yield heldLines.map(toDocument ?? startRows())
  function startRows() {
    const { isHeader, read } = readRows(heldLines[0]?.text ?? '', heldLines[1]?.text)
    if (isHeader) heldLines.shift()
    return read
  }
}

const isPlainValue = (json: string): boolean => /^["\d-]|^(true|false)$/.test(json)

const wrapPlainValue = (line: Line): Line => {
  const text = line.text.trim()
  return line.fault === undefined && isPlainValue(text) ? { ...line, text: `{"value":${text}}` } : line
}

type OnList = (path: string, others: string[]) => void

type Chunks = AsyncIterator<Uint8Array>

async function* continueWith(read: readonly Uint8Array[], chunks: Chunks): AsyncGenerator<Uint8Array> {
  yield* read
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
}

/** Reads up to the first byte that is neither blank nor part of a byte order mark. */
const readStart = async (chunks: Chunks): Promise<{ isObject: boolean; read: Uint8Array[] }> => {
  const read: Uint8Array[] = []
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    read.push(next.value)
    const first = next.value.find(byte => byte > 0x20 && byte !== 0xef && byte !== 0xbb && byte !== 0xbf)
    if (first !== undefined) return { isObject: first === openObject, read }
  }
  return { isObject: false, read }
}

type Finder = ReturnType<typeof createListFinder>

async function* readObject(
  read: readonly Uint8Array[],
  chunks: Chunks,
  { rows, isCut, onList }: { rows: string | undefined; isCut: boolean; onList: OnList | undefined },
): AsyncGenerator<Line[]> {
  const finder = createListFinder(rows)
  const stream = continueWith(read, chunks)
  const start = await readUntilFound(stream, finder)
  if (finder.hasNext() && rows === undefined && start.bufferStart === 0) {
    yield* readJsonSequence(continueWith(start.buffer, stream))
    return
  }
  const table = readTable(start, finder, isCut)
  if (table) {
    yield table
    if (!finder.isComplete()) yield [{ number: 1, text: '', fault: endsEarly, breaksOff: true }]
    return
  }
  const list = start.list ?? finder.chosen()
  const isDocument = rows === undefined && finder.isComplete() && (!list || finder.isDocument(list))
  const document = isDocument ? readDocument(start) : undefined
  if (document) yield [document]
  else if (finder.isTooDeep()) yield [{ number: 1, text: '', fault: 'the object is nested too deep' }]
  else if (list) {
    onList?.(
      list.path,
      finder.lists().filter(path => path !== list.path),
    )
    yield* readList(list, skip(start.buffer, list.offset - start.bufferStart), stream, finder)
  } else yield [findSyntaxFault(start) ?? { number: 1, text: '', fault: describeMissing(rows) }]
}

interface ObjectStart {
  /** Bytes that may belong to the list, from `bufferStart` on. */
  buffer: Uint8Array[]
  bufferStart: number
  /** Undefined if the stream has ended before it was chosen. */
  list: FoundList | undefined
}

const readUntilFound = async (stream: AsyncIterator<Uint8Array>, finder: Finder): Promise<ObjectStart> => {
  const buffer: Uint8Array[] = []
  let bufferStart = 0
  let bytes = 0
  for (let next = await stream.next(); !next.done; next = await stream.next()) {
    finder.take(next.value)
    buffer.push(next.value)
    bytes += next.value.length
    if (!finder.isStated && bytes < (finder.isTable() || finder.hasRows() ? tableBytesMax : lookaheadBytes))
      continue
    const list = finder.chosen()
    if (list) return { buffer, bufferStart, list }
    // No list yet. One that is open may turn out to be it.
    const keepFrom = finder.open()?.offset ?? bytes
    while (buffer[0] && bufferStart + buffer[0].length <= keepFrom) bufferStart += buffer.shift()?.length ?? 0
  }
  return { buffer, bufferStart, list: undefined }
}

/** Returns the object as a document. Undefined if it has nothing in it, or an empty list, which may be a list of no documents. */
const readDocument = ({ buffer, bufferStart }: ObjectStart): Line | undefined => {
  const bytes = Buffer.concat(buffer)
  if (bufferStart > 0 || bytes.length > lineBytesMax) return { number: 1, text: '', fault: tooLong() }
  const text = bytes.toString().replace(/^\ufeff/, '')
  return /^\s*\{\s*\}|\[\s*\]/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'))
    ? undefined
    : { number: 1, text }
}

/** Returns the documents of an object that has the rows of a table, or whose values are columns or other lists, if the whole object was read, or it `isCut`. */
const readTable = (
  { buffer, bufferStart, list }: ObjectStart,
  finder: Finder,
  isCut: boolean,
): Line[] | undefined => {
  const isWhole = bufferStart === 0 && (finder.isComplete() || isCut)
  if (list || finder.isStated || !isWhole || !(finder.isTable() || finder.hasRows())) return undefined
  const json = Buffer.concat(buffer).toString()
  const rows = finder.hasRows() ? readRowTable(json) : undefined
  if (rows || !finder.isTable()) return rows
  return readColumns(json, isCut) ?? readKeyedLists(json, isCut)
}

/** Returns the fault of an object that was read from its beginning and is no JSON. */
const findSyntaxFault = ({ buffer, bufferStart }: ObjectStart): Line | undefined => {
  const fault = bufferStart === 0 ? findJsonFault(Buffer.concat(buffer).toString()) : undefined
  return (
    fault && {
      number: fault.line,
      text: '',
      fault: `this is not JSON at column ${fault.column}: ${fault.message}`,
    }
  )
}

const describeMissing = (rows: string | undefined): string =>
  rows === undefined
    ? 'the body is not a JSON array of documents, and has no list of objects inside; if it is one document, write it in [ ]'
    : `the body has no list of objects at ${JSON.stringify(rows)}`

const skip = (chunks: readonly Uint8Array[], bytes: number): Uint8Array[] => {
  let remaining = bytes
  return chunks.flatMap(chunk => {
    const rest = chunk.subarray(remaining)
    remaining = Math.max(0, remaining - chunk.length)
    return rest.length > 0 ? [rest] : []
  })
}

const endsEarly = 'the text ends before the "}" of the object; the rest is missing'

async function* readList(
  list: FoundList,
  buffer: readonly Uint8Array[],
  stream: AsyncIterable<Uint8Array>,
  finder: Finder,
): AsyncGenerator<Line[]> {
  const body = async function* () {
    yield* buffer
    for await (const chunk of stream) {
      finder.take(chunk)
      yield chunk
    }
  }
  const isObject = list.values !== undefined
  const isFeatures = list.path === 'features' && !isObject
  const toDocument = isObject ? readKeyedDocument : isFeatures ? flattenFeature : (line: Line) => line
  let isBroken = false
  for await (const lines of readArrayItems(body(), { line: list.line, isInside: true, isObject })) {
    isBroken ||= lines.some(line => line.breaksOff)
    yield lines.map(toDocument)
  }
  if (isBroken) return
  const place = { number: list.line, index: list.objects, text: '', breaksOff: true } as const
  const longest = finder.longest()
  if (!finder.isComplete()) yield [{ ...place, fault: endsEarly }]
  else if (!finder.isStated && !isObject && longest && longest.objects > list.objects)
    yield [
      {
        ...place,
        fault: `the documents of "${list.path}" were read, but "${longest.path}" has more: name the list with ?rows=`,
      },
    ]
}

/** Turns `"name": {…}` into a document with the attribute `key`. An attribute of that name counts more; other values become `value`. */
const readKeyedDocument = (line: Line): Line => {
  if (line.fault !== undefined) return line
  const [text, key = '""', value = ''] = /^\s*("(?:[^"\\]|\\.)*")\s*:\s*([\s\S]*)$/.exec(line.text) ?? [
    line.text,
  ]
  if (!value.startsWith('{'))
    return { ...line, text: value === '' ? text : `{"key":${key},"value":${value}}` }
  const members = value.slice(1).trimStart()
  return { ...line, text: `{"key":${key}${members.startsWith('}') ? '' : ','}${members}` }
}
