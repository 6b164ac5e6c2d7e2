/** Options of an import, and the readers of its formats. */
import type { Collection } from '@querent/contract/workspace-file'
import { Problem } from '#errors'
import { importName, readWriteOptions, yesOrNo } from './address.ts'
import type { Delimiter } from './csv-layout.ts'
import { readJsonRows } from './json-rows.ts'
import { type Line, readLines } from './lines.ts'
import type { StreamFormat } from './media-type.ts'
import { type Encoding, encodings, readJsonText } from './text-encoding.ts'

/** How the documents are read. */
export interface ReadOptions {
  /** Delimiter of CSV; undefined: detect it from the header line. */
  delimiter: Delimiter | undefined
  /** Encoding of CSV; undefined: detect it from the bytes. */
  encoding: Encoding | undefined
  onEncoding?: (encoding: Encoding) => void
  /** Path of the list of documents inside a JSON object. */
  rows: string | undefined
}

export interface ImportOptions extends ReadOptions {
  wait: boolean
  replace: boolean
  strict: boolean
  stage: boolean
  /** The documents change stored ones. */
  update: boolean
  /** With `update`: documents with an unknown id are created. */
  create: boolean
  /** Name under which clients can ask for the progress. */
  name: string | undefined
}

/** Throws 400 for unknown options, bad values, and options that contradict each other. */
export const readImportOptions = (search: string): ImportOptions => {
  const {
    import: name,
    delimiter,
    encoding,
    rows,
    ...flags
  } = readWriteOptions(search, {
    wait: yesOrNo,
    replace: yesOrNo,
    strict: yesOrNo,
    stage: yesOrNo,
    update: yesOrNo,
    create: yesOrNo,
    import: importName,
    delimiter: { test: /^(,|;|\t)$/, words: '"," or ";" or a tab (%09)' },
    encoding: { test: new RegExp(`^(${encodings.join('|')})$`), words: encodings.join(', ') },
    rows: { test: /^.{1,1000}$/s, words: 'a path such as data.items' },
  })
  const isSet = (flag: keyof typeof flags) => flags[flag] === 'true'
  if (isSet('stage') && !isSet('replace'))
    throw new Problem(
      'bad-option',
      'stage=true needs replace=true: only documents that become the whole collection can be staged',
    )
  if (isSet('update') && isSet('replace'))
    throw new Problem(
      'bad-option',
      'update=true and replace=true contradict each other: update changes stored documents, and replace removes them',
    )
  if (isSet('create') && !isSet('update'))
    throw new Problem(
      'bad-option',
      'create=true needs update=true; an import without update creates documents',
    )
  return {
    wait: flags.wait !== 'false',
    replace: isSet('replace'),
    strict: isSet('strict'),
    stage: isSet('stage'),
    update: isSet('update'),
    create: isSet('create'),
    name,
    // The tests above guarantee it.
    delimiter: delimiter as Delimiter | undefined,
    encoding: encoding as Encoding | undefined,
    rows,
  }
}

/** Reader of each format. */
export const streamReaders: Readonly<
  Record<
    StreamFormat,
    (body: AsyncIterable<Uint8Array>, collection: Collection, options: ReadOptions) => AsyncIterable<Line[]>
  >
> = {
  lines: body => readLines(body),
  array: (body, _, { rows }) => readJsonRows(readJsonText(body), rows),
  async *table(body, collection, options) {
    const { readCsv } = await import('./csv.ts')
    yield* readCsv(body, collection, options)
  },
  tabs: (body, collection, options) =>
    streamReaders.table(body, collection, { ...options, delimiter: options.delimiter ?? '\t' }),
}
