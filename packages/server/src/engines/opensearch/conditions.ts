/** Filters, lookups, ranges and distances → clauses that narrow, and factors that scores are multiplied by. */
import { EngineError, type PlanNode, type ScoredCircles, type ScoredValues } from '#engines/engine'
import { column, fieldOf, type Schema, type SearchField } from './schema.ts'
import type { Clause } from './values.ts'
import { plainZero, readDate, readNumber } from './values.ts'

/** What a script multiplies scores by: the highest score among the alternatives that a document has. */
export type Factor =
  | { kind: 'text'; column: string; scores: Record<string, number> }
  | { kind: 'number'; column: string; values: number[]; scores: number[] }
  | { kind: 'moments'; column: string; from: string[]; to: string[]; scores: number[] }
  | { kind: 'circles'; column: string; circles: number[][]; scores: number[] }

export interface Condition {
  clause: Clause
  factor: Factor | undefined
  /** Where all alternatives have the same score. */
  constant: number
}

type Value = string | number | boolean
type Key =
  | { kind: 'text'; text: string }
  | { kind: 'number'; number: number }
  | { kind: 'boolean'; truth: boolean }
  | { kind: 'moments'; from: bigint; to: bigint }

export const nothing: Clause = { match_none: {} }

/** The ids of documents; the same as a filter of keywords. */
export const lookupOf = (alternatives: readonly ScoredValues[]): Condition =>
  valuesCondition('id', alternatives, value => ({ kind: 'text', text: String(value) }))

export function filterOf(schema: Schema, name: string, alternatives: readonly ScoredValues[]): Condition {
  const field = fieldOf(schema, name)
  return valuesCondition(field.column, alternatives, value => keyOf(field, value))
}

function valuesCondition(
  name: string,
  alternatives: readonly ScoredValues[],
  keyOfValue: (value: Value) => Key | undefined,
): Condition {
  const scored = alternatives.flatMap(({ score, values }) =>
    values.flatMap(value => {
      const key = keyOfValue(value)
      return key ? [{ key, score }] : []
    }),
  )
  const terms = scored.flatMap(({ key }): Value[] => {
    if (key.kind === 'moments') return key.from === key.to ? [String(key.from)] : []
    return key.kind === 'text' ? [key.text] : key.kind === 'number' ? [key.number] : [key.truth]
  })
  const ranges = scored.flatMap(({ key }) =>
    key.kind === 'moments' && key.from !== key.to
      ? [{ range: { [name]: { gte: String(key.from), lte: String(key.to) } } }]
      : [],
  )
  const clauses: Clause[] = [...(terms.length > 0 ? [{ terms: { [name]: terms } }] : []), ...ranges]
  return { clause: anyOf(clauses), ...multiplied(scored, () => factorOf(name, scored)) }
}

const anyOf = (clauses: Clause[]): Clause => {
  const [first, ...others] = clauses
  if (first === undefined) return nothing
  return others.length === 0 ? first : { bool: { should: clauses } }
}

function multiplied(scored: readonly { score: number }[], factor: () => Factor | undefined) {
  const [first] = scored
  if (first === undefined) return { factor: undefined, constant: 1 }
  if (scored.every(({ score }) => score === first.score)) return { factor: undefined, constant: first.score }
  return { factor: factor(), constant: 1 }
}

/** All keys of one field are of one kind. */
function factorOf(name: string, scored: readonly { key: Key; score: number }[]): Factor | undefined {
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
  if (kind === 'number')
    return {
      kind,
      column: name,
      values: scored.flatMap(({ key }) => (key.kind === 'number' ? [key.number] : [])),
      scores,
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

/** What the field must hold for the value to be there; nothing when no document can have it. */
function keyOf(field: SearchField, value: Value): Key | undefined {
  switch (field.type) {
    case 'keyword':
      return { kind: 'text', text: String(value).toWellFormed() }
    case 'number': {
      const number =
        typeof value === 'string'
          ? readNumber(value)
          : typeof value === 'number'
            ? plainZero(value)
            : undefined
      return number === undefined ? undefined : { kind: 'number', number }
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

export function rangeOf(
  schema: Schema,
  { field: name, from, to }: Extract<PlanNode, { kind: 'range' }>,
): Clause {
  const field = fieldOf(schema, name)
  if (field.type === 'boolean')
    throw new EngineError('unsupported', `the OpenSearch engine has no range of \`${name}\`, a boolean field`)
  const end = (value: string | number | undefined, side: 'from' | 'to') => {
    if (value === undefined) return {}
    const key = keyOf(field, value)
    if (key === undefined) return undefined
    const bound =
      key.kind === 'moments'
        ? String(key[side])
        : key.kind === 'text'
          ? key.text
          : key.kind === 'number'
            ? key.number
            : ''
    return { [side === 'from' ? 'gte' : 'lte']: bound }
  }
  const [lower, upper] = [end(from, 'from'), end(to, 'to')]
  // An end that is no value of the field is before or after nothing.
  if (!lower || !upper) return nothing
  const bounds = { ...lower, ...upper }
  return Object.keys(bounds).length === 0
    ? { exists: { field: field.column } }
    : { range: { [field.column]: bounds } }
}

/** A place is stored to a centimetre or so: these are looked at more closely. */
const placeMetres = 5
const halfwayRoundMetres = 20_000_000
const metresAroundEarth = 6_371_008.8

export const distanceSource = `
  double metres(double lat, double lon, String place) {
    int space = place.indexOf(' ');
    double otherLat = Double.parseDouble(place.substring(0, space));
    double otherLon = Double.parseDouble(place.substring(space + 1));
    double up = Math.sin(Math.toRadians(otherLat - lat) / 2);
    double round = Math.sin(Math.toRadians(otherLon - lon) / 2);
    double half = up * up + Math.cos(Math.toRadians(lat)) * Math.cos(Math.toRadians(otherLat)) * round * round;
    return 2 * ${metresAroundEarth} * Math.asin(Math.sqrt(Math.min(1.0, half)));
  }`

export function distanceOf(schema: Schema, name: string, alternatives: readonly ScoredCircles[]): Condition {
  const field = placesIn(schema, name)
  const scored = alternatives.flatMap(({ score, circles }) => circles.map(circle => ({ score, ...circle })))
  const clauses = scored.map(({ lat, lon, metres }) => ({
    bool: {
      filter: [
        metres > halfwayRoundMetres
          ? { exists: { field: column.places(field) } }
          : {
              geo_distance: {
                [field.column]: { lat, lon },
                distance: `${metres + metres / 1000 + placeMetres}m`,
              },
            },
        {
          script: {
            script: {
              source: `${distanceSource}
                for (String place : doc[params.places]) {
                  if (metres(params.lat, params.lon, place) <= params.metres) { return true; }
                }
                return false;`,
              params: { places: column.places(field), lat, lon, metres },
            },
          },
        },
      ],
    },
  }))
  const factor = (): Factor => ({
    kind: 'circles',
    column: column.places(field),
    circles: scored.map(({ lat, lon, metres }) => [lat, lon, metres]),
    scores: scored.map(({ score }) => score),
  })
  return { clause: anyOf(clauses), ...multiplied(scored, factor) }
}

export function placesIn(schema: Schema, name: string): SearchField {
  const field = fieldOf(schema, name)
  if (field.type === 'geo') return field
  throw new EngineError(
    'unsupported',
    `the OpenSearch engine has no distances for \`${name}\`, a ${field.type} field`,
  )
}
