/** The formats of results, and how a request selects one (query-service.md, Paths and Replies). To add a format, add its name to the contract, and a row. */
import type { Format } from '@querent/contract/query-options'
import Negotiator from 'negotiator'
import type { Page } from './page.ts'

interface FormatRow {
  type: string
  /** Extension of the file that a browser saves. Without it, the browser shows the reply. */
  extension?: string
  /** Loads the writer on first use. A server that writes only JSON needs none of them. */
  writer: () => Promise<(page: Page) => Promise<string | Buffer>>
}

/** JSON is written by `results.ts`, from the engine's bytes. */
export const formatRows: Readonly<Record<Exclude<Format, 'json'>, FormatRow>> = {
  csv: {
    type: 'text/csv; charset=utf-8',
    extension: 'csv',
    writer: async () => (await import('./csv.ts')).writeCsv,
  },
  xlsx: {
    type: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    extension: 'xlsx',
    writer: async () => (await import('./xlsx.ts')).writeXlsx,
  },
  xml: {
    type: 'application/xml; charset=utf-8',
    writer: async () => (await import('./xml.ts')).writeXml,
  },
  rdf: {
    // Always UTF-8, without parameters (https://www.w3.org/TR/n-triples/#n-triples-mediatype).
    type: 'application/n-triples',
    writer: async () => (await import('./ntriples.ts')).writeNTriples,
  },
}

/** Media type → format, preferred ones first. Types have their parameters, because `Accept` may name those too. */
const acceptable = new Map<string, Format>([
  ['application/json; charset=utf-8', 'json'],
  [`${formatRows.csv.type}; header=present`, 'csv'],
  [formatRows.xlsx.type, 'xlsx'],
  [formatRows.xml.type, 'xml'],
  ['text/xml; charset=utf-8', 'xml'],
  [`${formatRows.rdf.type}; charset=utf-8`, 'rdf'],
])

/**
 * Returns the format that `Accept` prefers (RFC 9110, section 12.5.1), or JSON if it names none. Browsers get JSON too: they prefer XML to
 * everything except HTML, but a person who opens an address wants to read the reply.
 */
export const acceptedFormat = (accept: string | undefined): Format => {
  if (accept === undefined || accept === '*/*' || accept === 'application/json') return 'json'
  if (/\btext\/html\b/i.test(accept)) return 'json'
  const type = new Negotiator({ headers: { accept } }).mediaType([...acceptable.keys()])
  return acceptable.get(type ?? '') ?? 'json'
}
