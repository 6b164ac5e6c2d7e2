/** Filters, lookups, ranges and distances → clauses that narrow, and factors that scores are multiplied by. */
import { EngineError, type PlanNode, type ScoredCircles, type ScoredValues } from '#engines/engine'
import { column, findField, findVectorField, type Schema, type SearchField } from './schema.ts'
import type { Clause, IndexedNumber } from './values.ts'
import { readDate, readNumber, toIndexedNumber } from './values.ts'

/**
 * Input of the script that multiplies scores: by the highest score among the alternatives that a document matches, or by the factor of a
 * boost. A document that matches none keeps its score.
 */
export type Factor =
  | { kind: 'text'; column: string; scores: Record<string, number> }
  | { kind: 'number'; column: string; values: number[]; scores: number[] }
  | { kind: 'moments'; column: string; from: string[]; to: string[]; scores: number[] }
  | { kind: 'circles'; column: string; circles: number[][]; scores: number[] }
  | { kind: 'growth'; column: string; log: boolean }
  | { kind: 'age'; column: string; nowMs: number; halfLifeMs: number }
  | { kind: 'proximity'; column: string; lat: number; lon: number; halfMeters: number }

export interface Condition {
  clause: Clause
  factor: Factor | undefined
  /** Factor for all documents if all alternatives have the same score, otherwise 1. */
  constant: number
}

type Value = string | number | boolean
type Key =
  | { kind: 'text'; text: string }
  | ({ kind: 'number' } & IndexedNumber)
  | { kind: 'boolean'; truth: boolean }
  | { kind: 'moments'; from: bigint; to: bigint }

export const matchNone: Clause = { match_none: {} }

/** Returns a condition on the ids of documents, which are keywords. */
export const lookupCondition = (alternatives: readonly ScoredValues[]): Condition =>
  valuesCondition('id', alternatives, value => ({ kind: 'text', text: String(value) }))

export function filterCondition(
  schema: Schema,
  name: string,
  alternatives: readonly ScoredValues[],
): Condition {
  const field = findField(schema, name)
  return valuesCondition(field.column, alternatives, value => readKey(field, value), column.large(field))
}

function valuesCondition(
  name: string,
  alternatives: readonly ScoredValues[],
  readValue: (value: Value) => Key | undefined,
  largeName = name,
): Condition {
  const scored = alternatives.flatMap(({ score, values }) =>
    values.flatMap(value => {
      const key = readValue(value)
      return key ? [{ key, score }] : []
    }),
  )
  const terms = scored.flatMap(({ key }): Value[] => {
    if (key.kind === 'moments') return key.from === key.to ? [String(key.from)] : []
    if (key.kind === 'number') return key.large === undefined ? [key.float] : []
    return key.kind === 'text' ? [key.text] : [key.truth]
  })
  const large = scored.flatMap(({ key }) =>
    key.kind === 'number' && key.large !== undefined ? [key.large] : [],
  )
  const ranges = scored.flatMap(({ key }) =>
    key.kind === 'moments' && key.from !== key.to
      ? [{ range: { [name]: { gte: String(key.from), lte: String(key.to) } } }]
      : [],
  )
  const clauses: Clause[] = [
    ...(terms.length > 0 ? [{ terms: { [name]: terms } }] : []),
    ...(large.length > 0 ? [{ terms: { [largeName]: large } }] : []),
    ...ranges,
  ]
  const factor = () => createFactor(name, scored, largeName)
  return { clause: matchAny(clauses), ...scoreAlternatives(scored, factor) }
}

const matchAny = (clauses: Clause[]): Clause => {
  const [first, ...remaining] = clauses
  if (first === undefined) return matchNone
  return remaining.length === 0 ? first : { bool: { should: clauses } }
}

function scoreAlternatives(scored: readonly { score: number }[], factor: () => Factor | undefined) {
  const [first] = scored
  if (first === undefined) return { factor: undefined, constant: 1 }
  if (scored.every(({ score }) => score === first.score)) return { factor: undefined, constant: first.score }
  return { factor: factor(), constant: 1 }
}

/** Returns the factor for the keys of one field, which all have the same kind. */
export function createFactor(
  name: string,
  scored: readonly { key: Key; score: number }[],
  largeName = name,
): Factor | undefined {
  const kind = scored[0]?.key.kind
  if (kind === 'text' || kind === 'boolean') {
    const scores: Record<string, number> = {}
    for (const { key, score } of scored) {
      const text = key.kind === 'text' ? key.text : key.kind === 'boolean' ? String(key.truth) : ''
      scores[text] = Math.max(scores[text] ?? 0, score)
    }
    return { kind: 'text', column: name, scores }
  }
  const scores = scored.map(({ score }) => score)
  if (kind === 'number') {
    const numbers = scored.flatMap(({ key }) => (key.kind === 'number' ? [key] : []))
    const large = numbers.flatMap(number => number.large ?? [])
    // These compare as moments do.
    if (large.length === numbers.length)
      return { kind: 'moments', column: largeName, from: large, to: large, scores }
    if (large.length > 0)
      throw new EngineError(
        'inexact',
        'the OpenSearch engine cannot score whole numbers beyond 2^53 together with other numbers',
      )
    return { kind, column: name, values: numbers.map(({ float }) => float), scores }
  }
  const moments = scored.flatMap(({ key }) => (key.kind === 'moments' ? [key] : []))
  return {
    kind: 'moments',
    column: name,
    from: moments.map(({ from }) => String(from)),
    to: moments.map(({ to }) => String(to)),
    scores,
  }
}

/** Returns the indexed form of a value; undefined if no document can have it. */
export function readKey(field: SearchField, value: Value): Key | undefined {
  switch (field.type) {
    case 'keyword':
      return { kind: 'text', text: String(value).toWellFormed() }
    case 'number': {
      const number = typeof value === 'string' ? readNumber(value) : toIndexedNumber(value)
      return number && { kind: 'number', ...number }
    }
    case 'boolean':
      return String(value) === 'true' || String(value) === 'false'
        ? { kind: 'boolean', truth: String(value) === 'true' }
        : undefined
    case 'date': {
      const moments = typeof value === 'string' ? readDate(value) : undefined
      return moments && { kind: 'moments', ...moments }
    }
    default:
      throw new EngineError(
        'unsupported',
        `the OpenSearch engine cannot filter \`${field.name}\`, a ${field.type} field`,
      )
  }
}

export function rangeClause(
  schema: Schema,
  { field: name, from, to, before }: Extract<PlanNode, { kind: 'range' }>,
): Clause {
  const field = findField(schema, name)
  if (field.type === 'boolean')
    throw new EngineError('unsupported', `the OpenSearch engine has no range of \`${name}\`, a boolean field`)
  if (field.type === 'number') return numberRange(field, { from, to, before })
  const end = (value: string | number | undefined, side: 'from' | 'to') => {
    if (value === undefined) return {}
    const key = readKey(field, value)
    if (key === undefined) return undefined
    const bound = key.kind === 'moments' ? String(key[side]) : key.kind === 'text' ? key.text : ''
    return { [side === 'from' ? 'gte' : 'lte']: bound }
  }
  const lower = end(from, 'from')
  const upper = before === undefined ? end(to, 'to') : exclusive(end(before, 'from'))
  // A bound that is not a value of the field matches nothing.
  if (!lower || !upper) return matchNone
  const bounds = { ...lower, ...upper }
  return Object.keys(bounds).length === 0
    ? { exists: { field: field.column } }
    : { range: { [field.column]: bounds } }
}

/** An end of a range among large numbers is exact in their column only. It takes those doubles that are beyond doubt. */
function numberRange(
  field: SearchField,
  { from, to, before }: Record<'from' | 'to' | 'before', string | number | undefined>,
): Clause {
  const last = before ?? to
  const [lower, upper] = [from, last].map(value =>
    typeof value === 'string' ? readNumber(value) : toIndexedNumber(value),
  )
  // A bound that is not a value of the field matches nothing.
  if ((from !== undefined && !lower) || (last !== undefined && !upper)) return matchNone
  if (!lower && !upper) return { exists: { field: field.column } }
  const upperName = before === undefined ? 'lte' : 'lt'
  const double = {
    ...(lower && { [lower.large === undefined ? 'gte' : 'gt']: lower.float }),
    ...(upper && { [upper.large === undefined ? upperName : 'lt']: upper.float }),
  }
  const doubles = { range: { [field.column]: double } }
  if (lower?.large === undefined && upper?.large === undefined) return doubles
  const long = {
    ...(lower && { gte: lower.large ?? toLong(lower.float) }),
    ...(upper && { [upper.large === undefined ? 'lte' : upperName]: upper.large ?? toLong(upper.float) }),
  }
  return matchAny([doubles, { range: { [column.large(field)]: long } }])
}

/** A number that is not large has all large ones of one sign on one side. */
const toLong = (number: number): string =>
  number >= 2 ** 63
    ? '9223372036854775807'
    : number < -(2 ** 63)
      ? '-9223372036854775808'
      : String(BigInt(Math.trunc(number)))

/** Matches documents with a value of the field; with `not`, those without. */
export function presenceClause(
  schema: Schema,
  { field: name, not }: Extract<PlanNode, { kind: 'present' }>,
): Clause {
  const clause = schema.vectors.has(name)
    ? { nested: { path: findVectorField(schema, name).column, query: { match_all: {} } } }
    : valueClause(findField(schema, name))
  return not ? { bool: { must_not: [clause] } } : clause
}

/** An empty text is no value. */
const valueClause = (field: SearchField): Clause => {
  switch (field.type) {
    case 'keyword':
      return { range: { [field.column]: { gt: '' } } }
    case 'text':
      return {
        bool: {
          filter: [
            { exists: { field: column.sort(field) } },
            {
              script: {
                script: {
                  source: `for (String text : doc[params.column]) { if (text.length() > 0) { return true; } } return false;`,
                  params: { column: column.sort(field) },
                },
              },
            },
          ],
        },
      }
    case 'geo':
      return { exists: { field: column.places(field) } }
    default:
      return { exists: { field: field.column } }
  }
}

/** Turns the start of a range into its exclusive end. */
const exclusive = (bound: { gte?: unknown } | undefined) =>
  bound && ('gte' in bound ? { lt: bound.gte } : bound)

/** The index stores places to about a centimeter, so a script checks the distance again. This widens the query on the index. */
const placeToleranceMeters = 5
const halfCircumferenceMeters = 20_000_000
const earthRadiusMeters = 6_371_008.8

export const distanceSource = `
  double meters(double lat, double lon, String place) {
    int space = place.indexOf(' ');
    double otherLat = Double.parseDouble(place.substring(0, space));
    double otherLon = Double.parseDouble(place.substring(space + 1));
    if (lon == 180.0) { lon = -180.0; }
    if (otherLon == 180.0) { otherLon = -180.0; }
    double up = Math.sin(Math.toRadians(otherLat - lat) / 2);
    double round = Math.sin(Math.toRadians(otherLon - lon) / 2);
    double half = up * up + Math.cos(Math.toRadians(lat)) * Math.cos(Math.toRadians(otherLat)) * round * round;
    return 2 * ${earthRadiusMeters} * Math.asin(Math.sqrt(Math.min(1.0, half)));
  }`

export function distanceCondition(
  schema: Schema,
  name: string,
  alternatives: readonly ScoredCircles[],
): Condition {
  const field = geoField(schema, name)
  const scored = alternatives.flatMap(({ score, circles }) => circles.map(circle => ({ score, ...circle })))
  const clauses = scored.map(({ lat, lon, meters }) => ({
    bool: {
      filter: [
        meters > halfCircumferenceMeters
          ? { exists: { field: column.places(field) } }
          : {
              geo_distance: {
                [field.column]: { lat, lon },
                distance: `${meters + meters / 1000 + placeToleranceMeters}m`,
              },
            },
        {
          script: {
            script: {
              source: `${distanceSource}
                for (String place : doc[params.places]) {
                  if (meters(params.lat, params.lon, place) <= params.meters) { return true; }
                }
                return false;`,
              params: { places: column.places(field), lat, lon, meters },
            },
          },
        },
      ],
    },
  }))
  const factor = (): Factor => ({
    kind: 'circles',
    column: column.places(field),
    circles: scored.map(({ lat, lon, meters }) => [lat, lon, meters]),
    scores: scored.map(({ score }) => score),
  })
  return { clause: matchAny(clauses), ...scoreAlternatives(scored, factor) }
}

export function geoField(schema: Schema, name: string): SearchField {
  const field = findField(schema, name)
  if (field.type === 'geo') return field
  throw new EngineError(
    'unsupported',
    `the OpenSearch engine has no distances for \`${name}\`, a ${field.type} field`,
  )
}
