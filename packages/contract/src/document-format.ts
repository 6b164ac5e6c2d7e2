/** Formats of files of documents, for the command line and the console. */

/** Media type of each format. */
export const documentFormats = {
  ndjson: 'application/x-ndjson',
  json: 'application/json',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
} as const
export type DocumentFormat = keyof typeof documentFormats

/** Characters of a file that are enough to detect its format: a line of documents is no longer. */
export const beginningCharactersMax = 1024 * 1024

const endings: Readonly<Record<string, DocumentFormat>> = {
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  geojsonl: 'ndjson',
  json: 'json',
  geojson: 'json',
  csv: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
}

/** Returns the format that the ending of a file name means, also before `.gz`; undefined for other names. */
export const formatByName = (name: string): DocumentFormat | undefined =>
  endings[/\.([a-z]+)(?:\.gz)?$/i.exec(name)?.[1]?.toLowerCase() ?? '']

/**
 * Detects the format of a file by its name and the beginning of its text. The text decides between the forms of JSON, because many files with the ending `.json`
 * have a document a line, and others with lines are one value over many lines.
 */
export const detectFormat = (name: string, beginning: string): DocumentFormat => {
  const formatFromName = formatByName(name)
  if (formatFromName === 'csv' || formatFromName === 'tsv') return formatFromName
  const text = beginning.replace(/^[\ufeff\s]+/, '')
  if (text.startsWith('[') && (formatFromName !== undefined || jsonArray.test(text))) return 'json'
  if (text.startsWith('{')) return isLines(text, name, formatFromName) ? 'ndjson' : 'json'
  return formatFromName ?? guessTable(text, name)
}

/** A JSON array, or the beginning of one. Lines of logs and chats begin with a time in brackets. */
const jsonArray =
  /^\[\s*(?:$|[[{"\]]|(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?)\s*(?:[,\]]|$))/i

/**
 * Says what a file is that holds no text, by its beginning as bytes: a spreadsheet or another archive, or any other binary file. Undefined for text.
 */
export const findBinaryKind = (beginning: Uint8Array): 'spreadsheet' | 'binary' | undefined => {
  const [first, second, third, fourth] = beginning
  // A zip archive, as .xlsx and .ods are, and the older form of .xls.
  if (first === 0x50 && second === 0x4b && third === 0x03 && fourth === 0x04) return 'spreadsheet'
  if (first === 0xd0 && second === 0xcf && third === 0x11 && fourth === 0xe0) return 'spreadsheet'
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
  const zeros = isUtf16 ? 0 : beginning.subarray(0, 4096).filter(byte => byte === 0).length
  return zeros > binaryZerosMax ? 'binary' : undefined
}

const formatsByEnding: Readonly<Record<string, string>> = {
  xml: 'XML',
  rss: 'XML',
  kml: 'XML',
  gpx: 'XML',
  html: 'HTML',
  htm: 'HTML',
  yaml: 'YAML',
  yml: 'YAML',
  toml: 'TOML',
  sql: 'SQL',
  vcf: 'vCard',
  ics: 'iCalendar',
  bib: 'BibTeX',
  ris: 'RIS',
}
const formatsByBeginning: readonly (readonly [RegExp, string])[] = [
  [/^\s*<\?xml\b/, 'XML'],
  [/^\s*<(!doctype\s+)?html\b/i, 'HTML'],
  [/^BEGIN:VCARD\b/, 'vCard'],
  [/^BEGIN:VCALENDAR\b/, 'iCalendar'],
  [/^PAR1/, 'Parquet'],
  [/^SQLite format 3/, 'SQLite'],
  [/^ARROW1/, 'Arrow'],
  [/^%PDF-/, 'PDF'],
  [
    /^\s*(?:export\s+default|(?:export\s+)?(?:var|let|const)\s+[\w$]+\s*=|(?:window|module|exports|self|globalThis)[.[][^=\n]{0,100}=)\s*[[{(]/,
    'JavaScript',
  ],
]

/** Returns the format of a file that has to be converted before an import, by its beginning or else the ending of its name; undefined for other files. */
export const findOtherFormat = (name: string, beginning: Uint8Array): string | undefined => {
  const text = new TextDecoder().decode(beginning.subarray(0, 200))
  const entry = formatsByBeginning.find(([pattern]) => pattern.test(text))
  return entry?.[1] ?? formatsByEnding[/\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? '']
}

/** Whether the name is that of an archive of any files. Spreadsheets are archives too. */
export const isArchive = (name: string): boolean => /\.zip$/i.test(name)

/** A text may have a stray zero byte. */
const binaryZerosMax = 8

/** Whether the text is a JSON document a line. */
const isLines = (text: string, name: string, formatFromName: DocumentFormat | undefined): boolean => {
  const end = text.indexOf('\n')
  const first = end < 0 ? text : text.slice(0, end)
  const document = parseObject(first)
  // A document of this length would be rejected.
  if (document === undefined)
    return formatFromName === 'ndjson' && end < 0 && text.length < beginningCharactersMax
  if (end >= 0 && text.slice(end).trimStart().startsWith('{')) return true
  // A program writes lines to standard input. Other files have the endings of their programs, such as `.har`.
  const mayHaveRows = formatFromName === undefined ? name !== '-' : formatFromName === 'json'
  return document.type !== 'FeatureCollection' && !(mayHaveRows && hasRows(document))
}

const parseObject = (text: string): Record<string, unknown> | undefined => {
  try {
    // It begins with a brace.
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return undefined
  }
}

/** A single document has fewer plain values. */
const plainRowsMin = 20

/** Whether the object is a file of documents: it has a list of objects inside, or is an object of objects, of many plain values or of columns. */
const hasRows = (value: object): boolean => {
  const values = Object.values(value)
  const objects = values.filter(isObject)
  const plain = values.filter(inner => typeof inner !== 'object')
  return (
    (objects.length > 1 && objects.length >= Math.min(values.length, plainRowsMin)) ||
    plain.length >= Math.max(plainRowsMin, values.length - 1) ||
    areColumns(values) ||
    (values.length >= listsMin && values.every(isPlainList)) ||
    hasRowTable(value) ||
    hasList(value)
  )
}

/** A single document has other values besides its lists. */
const listsMin = 10
const isPlainList = (value: unknown): boolean => Array.isArray(value) && !value.some(isObject)

/** Whether it has the rows of a table as lists, and a list of texts or objects that has as many items as a row: the names of columns. */
const hasRowTable = (value: object): boolean => {
  const lists = listLists(value)
  return lists.some(([first, ...rows]) => {
    const cells = Array.isArray(first) ? first.length : 0
    const areRows =
      cells > 1 && rows.length > 0 && rows.every(row => Array.isArray(row) && row.length === cells)
    return areRows && lists.some(names => names.length === cells && areNames(names))
  })
}

const areNames = (items: readonly unknown[]): boolean =>
  items.every(item => typeof item === 'string' || (isObject(item) && 'name' in item))

const listLists = (value: object): unknown[][] =>
  Object.values(value).flatMap(inner =>
    Array.isArray(inner) ? [inner] : isObject(inner) ? listLists(inner) : [],
  )

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether the values are lists of one length. A single document has few and short ones. */
const areColumns = (values: readonly unknown[]): boolean => {
  const [first] = values
  return (
    values.length > 1 &&
    Array.isArray(first) &&
    first.length > 1 &&
    values.every(value => Array.isArray(value) && value.length === first.length && !value.some(isObject))
  )
}

/** Whether the object has a list or an object of objects inside, at any depth outside of lists. */
const hasList = (value: object): boolean =>
  Object.values(value).some(inner =>
    Array.isArray(inner)
      ? inner.some(isObject)
      : isObject(inner) &&
        (Object.values(inner).filter(isObject).length >= plainRowsMin ||
          Object.values(inner).length >= plainRowsMin ||
          hasList(inner)),
  )

/** Guesses the format of text that is no JSON. A file with a name is a table, of one column if there is no delimiter. */
const guessTable = (text: string, name: string): DocumentFormat => {
  const [header = ''] = text.split('\n', 1)
  if (header.includes('\t')) return 'tsv'
  return /[,;|]/.test(header) || (name !== '-' && text !== '') ? 'csv' : 'ndjson'
}
