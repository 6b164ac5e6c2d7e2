/** Results as RDF 1.1 N-Triples: the documents without their ranks. */

import { readRawNumber } from '@querent/contract/exact-json'
import { isWholeDay, plainDate } from '@querent/contract/field-value'
import type { Language } from '@querent/contract/languages'
import type { Field } from '@querent/contract/workspace-file'
import { DataFactory, type Quad_Object, Writer } from 'n3'
import { attributeNames, listValues, type Page, readGeoPoint } from './page.ts'

const { literal, namedNode, quad } = DataFactory
const rdf = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#'
const xsd = 'http://www.w3.org/2001/XMLSchema#'
/** OGC GeoSPARQL 1.1, section 8.5.1: longitude first. */
const wktLiteral = 'http://www.opengis.net/ont/geosparql#wktLiteral'

/** BCP 47. The other languages are several. */
const languageTags: Readonly<Partial<Record<Language, string>>> = {
  arabic: 'ar',
  armenian: 'hy',
  basque: 'eu',
  catalan: 'ca',
  danish: 'da',
  dutch: 'nl',
  english: 'en',
  estonian: 'et',
  finnish: 'fi',
  french: 'fr',
  german: 'de',
  greek: 'el',
  hindi: 'hi',
  hungarian: 'hu',
  indonesian: 'id',
  irish: 'ga',
  italian: 'it',
  lithuanian: 'lt',
  norwegian: 'no',
  portuguese: 'pt',
  romanian: 'ro',
  russian: 'ru',
  spanish: 'es',
  swedish: 'sv',
  turkish: 'tr',
}

/**
 * Subjects are the documents' ids. The collection's vocabulary turns classes and attributes into URIs if they are not URIs already. Rank,
 * probability and highlights are left out, because they belong to the query.
 */
export const writeNTriples = async (page: Page): Promise<string> => {
  const { items, fields, vocabulary, idBase } = page
  const names = attributeNames(page).map(name => ({
    name,
    field: fields.get(name),
    predicate: iri(name, vocabulary),
  }))
  const writer = new Writer({ format: 'N-Triples' })
  for (const { entity } of items) {
    const subject = iri(entity.id, idBase)
    for (const type of entity.class)
      writer.addQuad(quad(subject, namedNode(`${rdf}type`), iri(type, vocabulary)))
    for (const { name, field, predicate } of names) {
      if (!Object.hasOwn(entity.attributes, name)) continue
      for (const value of listValues(entity.attributes[name], field))
        writer.addQuad(quad(subject, predicate, makeTerm(value, field, page)))
    }
  }
  return new Promise((resolve, reject) =>
    writer.end((error: Error | null, text: string) => (error ? reject(error) : resolve(text))),
  )
}

/** Characters that an IRI cannot contain; we percent-encode them (N-Triples, IRIREF; RFC 3987, section 3.1). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern looks for them.
const notInIris = /[\x00-\x20<>"{}|^`\\\x7f]/g

const iri = (name: string, base: string) => {
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(name) ? name : `${base}${encodeURIComponent(name)}`
  return namedNode(absolute.replace(notInIris, encodeURIComponent))
}

const makeTerm = (value: unknown, field: Field | undefined, { language }: Page): Quad_Object => {
  if (typeof value === 'string') return textTerm(value, field, language)
  if (typeof value === 'boolean') return literal(String(value), namedNode(`${xsd}boolean`))
  if (typeof value === 'number') return numberTerm(value)
  const digits = readRawNumber(value)
  if (digits !== undefined)
    return literal(digits, namedNode(`${xsd}${/^-?\d+$/.test(digits) ? 'integer' : 'double'}`))
  const point = readGeoPoint(value, field)
  if (point) return literal(`POINT(${point.lon} ${point.lat})`, namedNode(wktLiteral))
  // The JSON data type of JSON-LD 1.1, section 10.2.
  return literal(JSON.stringify(value), namedNode(`${rdf}JSON`))
}

const textTerm = (text: string, field: Field | undefined, language: Language | undefined): Quad_Object => {
  if (field?.type === 'date') return dateTerm(text)
  if (field?.type !== 'text') return literal(text)
  return literal(text, languageTags[field.language ?? language ?? 'none'])
}

/** XML Schema 1.1 allows neither lower case in dates nor leap seconds (part 2, section 3.3.7). */
const dateTerm = (date: string): Quad_Object =>
  literal(plainDate(date), namedNode(`${xsd}${isWholeDay(date) ? 'date' : 'dateTime'}`))

/** The type that the number's text has in Turtle. */
const numberTerm = (number: number): Quad_Object => {
  const text = String(number)
  const type = /e/.test(text) ? 'double' : /\./.test(text) ? 'decimal' : 'integer'
  return literal(text, namedNode(`${xsd}${type}`))
}
