/** Reads files of the bulk API of Elasticsearch and OpenSearch as plain NDJSON: each document follows a line that says where it goes. */

const lineFeed = 0x0a
/** A line that names an index and an id is shorter. */
const actionBytesMax = 4096

/**
 * Yields the stream with a blank line in place of each action, so that lines keep their numbers. The `_id` of an action becomes an attribute of its document.
 * A stream that does not begin with an action stays as it is.
 */
export async function* readBulkLines(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let isBulk: boolean | undefined
  let rest = Buffer.alloc(0)
  const toDocument = createLineReader()
  for await (const chunk of source) {
    if (isBulk === false) {
      yield chunk
      continue
    }
    rest = Buffer.concat([rest, chunk])
    isBulk ??= startsWithAction(rest)
    const end = isBulk === undefined ? 0 : isBulk ? rest.lastIndexOf(lineFeed) + 1 : rest.length
    if (end === 0) continue
    const complete = rest.subarray(0, end)
    rest = rest.subarray(end)
    yield isBulk ? convertLines(complete, toDocument) : complete
  }
  if (rest.length > 0) yield isBulk ? convertLines(rest, toDocument) : rest
}

/** Whether the first line is an action, or the second one in a part of a file. Undefined if the first one is not complete yet. */
const startsWithAction = (bytes: Buffer): boolean | undefined => {
  const end = bytes.indexOf(lineFeed)
  if (end < 0) return bytes.length > actionBytesMax ? false : undefined
  const secondEnd = bytes.indexOf(lineFeed, end + 1)
  const lines = [bytes.subarray(0, end), bytes.subarray(end + 1, secondEnd < 0 ? end + 1 : secondEnd)]
  return lines.some(line => line.length <= actionBytesMax && readAction(line.toString()) !== undefined)
}

const convertLines = (bytes: Buffer, toDocument: (line: string) => string): Buffer =>
  // Latin-1 keeps every byte, also those that are not UTF-8.
  Buffer.from(bytes.toString('latin1').split('\n').map(toDocument).join('\n'), 'latin1')

const createLineReader = () => {
  /** JSON of the id for the next line. */
  let nextId: string | undefined
  return (line: string): string => {
    const action = readAction(line)
    if (action) {
      nextId = action.id
      return ''
    }
    const id = nextId
    if (line.trim() !== '') nextId = undefined
    return id === undefined || !line.startsWith('{') || /^\{\s*"_id"\s*:/.test(line)
      ? line
      : `{"_id":${id}${/^\{\s*\}/.test(line) ? '' : ','}${line.slice(1)}`
  }
}

const actionNames = ['index', 'create', 'delete']
const actionKeys = new Set([
  ...[
    '_index',
    '_id',
    '_type',
    'routing',
    '_routing',
    'pipeline',
    'require_alias',
    'version',
    'version_type',
  ],
  ...['if_seq_no', 'if_primary_term', 'dynamic_templates', 'list_executed_pipelines'],
])

/** Returns what an action line says about its document; undefined for any other line. */
const readAction = (line: string): { id: string | undefined } | undefined => {
  if (line.length > actionBytesMax || !/^\s*\{\s*"(?:index|create|delete)"\s*:\s*\{/.test(line))
    return undefined
  try {
    // Checked below.
    const [[name, target] = [], other] = Object.entries(JSON.parse(line) as Record<string, object>)
    const isAction =
      name !== undefined &&
      actionNames.includes(name) &&
      other === undefined &&
      Object.keys(target ?? {}).every(key => actionKeys.has(key))
    if (!isAction) return undefined
    const { _id: id } = target as { _id?: unknown }
    return { id: id === undefined || name === 'delete' ? undefined : JSON.stringify(id) }
  } catch {
    return undefined
  }
}
