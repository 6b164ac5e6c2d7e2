/** Schemas of the endpoints of a workspace file, one for each kind (query-service.md, Endpoint kinds). */
import type { EndpointKind } from './endpoint-traits.ts'
import { type Static, Type } from './schema.ts'
import { workspaceLimits as limits } from './workspace-limits.ts'
import { closed, FieldName, filterNamePattern, namePattern, ParameterName, Title } from './workspace-names.ts'

const common = { title: Type.Optional(Title) }
export const halfLifePattern = '^[1-9][0-9]{0,8}[mhd]$'
export const halfDistancePattern = '^(?=.*[1-9])[0-9]{1,8}(\\.[0-9]{1,3})?(m|km|mi)$'

const collection = { collection: Type.String({ pattern: namePattern }) }
const optionalCollection = { collection: Type.Optional(Type.String({ pattern: namePattern })) }
const PlainValue = Type.Union([
  Type.String({ maxLength: limits.valueCharacters }),
  Type.Number(),
  Type.Boolean(),
])

/** Boost endpoints that apply whenever the endpoint ranks. */
const boosts = {
  boosts: Type.Optional(
    Type.Array(Type.String({ pattern: namePattern }), {
      minItems: 1,
      maxItems: limits.boostsPerEndpoint,
      uniqueItems: true,
      description: 'endpoints of kind boost that apply whenever this one ranks',
    }),
  ),
}

/** The number of characters from which a word may have one typo, and two. */
const TypoLengths = Type.Object(
  { one: Type.Integer({ minimum: 1, maximum: 64 }), two: Type.Integer({ minimum: 1, maximum: 64 }) },
  closed,
)

/** A bound of a facet's range: a number, or a date, which may be shortened (facet-groups.ts). */
const RangeEnd = Type.Union([Type.Number(), Type.String({ minLength: 1, maxLength: 40 })])
/** Values from `from` to before `to`. */
const FacetRange = Type.Object(
  { from: Type.Optional(RangeEnd), to: Type.Optional(RangeEnd) },
  { ...closed, minProperties: 1 },
)

/** The field of a facet: a name, or a parameter with which the caller chooses one of several. */
const FacetField = Type.Union([
  FieldName,
  Type.Object(
    {
      parameter: ParameterName,
      among: Type.Array(FieldName, { minItems: 1, maxItems: limits.fieldsToChooseFrom, uniqueItems: true }),
    },
    closed,
  ),
])

export const endpointSchemas = {
  match: Type.Object(
    {
      kind: Type.Literal('match'),
      ...common,
      ...collection,
      fields: Type.Optional(
        Type.Array(FieldName, { minItems: 1, maxItems: limits.fieldsPerEndpoint, uniqueItems: true }),
      ),
      parameter: Type.Optional(ParameterName),
      prefix: Type.Optional(Type.Boolean()),
      typos: Type.Optional(Type.Union([Type.Boolean(), TypoLengths])),
      matching: Type.Optional(
        Type.Union([Type.Literal('any'), Type.Literal('all'), Type.Literal('relaxed')]),
      ),
      exact: Type.Optional(Type.Boolean()),
      contains: Type.Optional(Type.Boolean()),
      ...boosts,
    },
    closed,
  ),
  filter: Type.Object(
    {
      kind: Type.Literal('filter'),
      ...common,
      ...optionalCollection,
      field: FieldName,
      value: Type.Optional(PlainValue),
      parameter: Type.Optional(ParameterName),
      present: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
  range: Type.Object(
    {
      kind: Type.Literal('range'),
      ...common,
      ...optionalCollection,
      field: FieldName,
      from: Type.Optional(ParameterName),
      to: Type.Optional(ParameterName),
    },
    closed,
  ),
  facet: Type.Object(
    {
      kind: Type.Literal('facet'),
      ...common,
      ...optionalCollection,
      field: FacetField,
      parameter: Type.Optional(ParameterName),
      ranges: Type.Optional(
        Type.Array(FacetRange, {
          minItems: 1,
          maxItems: limits.rangesPerFacet,
          description: 'a list of ranges, such as [{ to: 10 }, { from: 10, to: 50 }, { from: 50 }]',
        }),
      ),
      interval: Type.Optional(
        Type.Union([
          Type.Number({ exclusiveMinimum: 0, maximum: 1e15 }),
          Type.Literal('year'),
          Type.Literal('month'),
          Type.Literal('week'),
          Type.Literal('day'),
          Type.Literal('hour'),
        ]),
      ),
      separator: Type.Optional(Type.String({ minLength: 1, maxLength: 20 })),
      timeZone: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      missing: Type.Optional(Type.Boolean()),
      statistics: Type.Optional(Type.Boolean()),
      counts: Type.Optional(Type.Union([Type.Literal('documents'), Type.Literal('collapsed')])),
      columns: Type.Optional(
        Type.Array(Type.Union([Type.Literal('OBJ'), Type.Literal('DOUBLE')]), { minItems: 1, maxItems: 2 }),
      ),
    },
    closed,
  ),
  facets: Type.Object(
    {
      kind: Type.Literal('facets'),
      ...common,
      ...optionalCollection,
      of: Type.Optional(
        Type.Array(Type.String({ pattern: namePattern }), {
          minItems: 1,
          maxItems: limits.endpointsPerApi,
          uniqueItems: true,
        }),
      ),
    },
    closed,
  ),
  collapse: Type.Object(
    {
      kind: Type.Literal('collapse'),
      ...common,
      ...optionalCollection,
      field: FieldName,
      best: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.documentsPerValue })),
    },
    closed,
  ),
  sort: Type.Object(
    {
      kind: Type.Literal('sort'),
      ...common,
      ...optionalCollection,
      field: FieldName,
      order: Type.Optional(Type.Union([Type.Literal('ascending'), Type.Literal('descending')])),
    },
    closed,
  ),
  lookup: Type.Object(
    { kind: Type.Literal('lookup'), ...common, ...collection, parameter: Type.Optional(ParameterName) },
    closed,
  ),
  all: Type.Object({ kind: Type.Literal('all'), ...common, ...collection }, closed),
  similar: Type.Object(
    {
      kind: Type.Literal('similar'),
      ...common,
      ...collection,
      fields: Type.Optional(
        Type.Array(FieldName, { minItems: 1, maxItems: limits.fieldsPerEndpoint, uniqueItems: true }),
      ),
      parameter: Type.Optional(ParameterName),
      ...boosts,
    },
    closed,
  ),
  nearest: Type.Object(
    {
      kind: Type.Literal('nearest'),
      ...common,
      ...collection,
      field: FieldName,
      parameter: Type.Optional(ParameterName),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
      minimum: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
      ...boosts,
    },
    closed,
  ),
  mix: Type.Object(
    {
      kind: Type.Literal('mix'),
      ...common,
      of: Type.Record(Type.String({ pattern: namePattern }), Type.Number({ exclusiveMinimum: 0 }), {
        minProperties: 1,
        maxProperties: limits.partsPerMix,
      }),
      scores: Type.Optional(Type.Boolean()),
      ...boosts,
    },
    closed,
  ),
  any: Type.Object(
    {
      kind: Type.Literal('any'),
      ...common,
      of: Type.Array(Type.String({ pattern: filterNamePattern }), {
        minItems: 1,
        maxItems: limits.partsPerMix,
        uniqueItems: true,
      }),
      not: Type.Optional(Type.Boolean()),
    },
    closed,
  ),
  together: Type.Object(
    {
      kind: Type.Literal('together'),
      ...common,
      ...optionalCollection,
      field: FieldName,
      of: Type.Array(Type.String({ pattern: filterNamePattern }), {
        minItems: 1,
        maxItems: limits.partsPerMix,
        uniqueItems: true,
      }),
    },
    closed,
  ),
  area: Type.Object(
    {
      kind: Type.Literal('area'),
      ...common,
      ...optionalCollection,
      field: FieldName,
      box: Type.Optional(
        Type.Union([
          ParameterName,
          Type.Array(Type.Number({ minimum: -180, maximum: 180 }), {
            minItems: 4,
            maxItems: 4,
            description: 'south, west, north and east in degrees',
          }),
        ]),
      ),
      polygon: Type.Optional(
        Type.Union([
          ParameterName,
          Type.Array(Type.Number({ minimum: -180, maximum: 180 }), {
            minItems: 2 * limits.cornersMin,
            // A polygon may be closed by its first corner.
            maxItems: 2 * limits.cornersMax + 2,
            description: 'latitude and longitude of each corner in turn, in degrees',
          }),
        ]),
      ),
    },
    closed,
  ),
  boost: Type.Object(
    {
      kind: Type.Literal('boost'),
      ...common,
      ...optionalCollection,
      field: FieldName,
      value: Type.Optional(PlainValue),
      by: Type.Optional(
        Type.Union([
          Type.Number({ exclusiveMinimum: 0, maximum: 1000 }),
          Type.Literal('log'),
          Type.Literal('linear'),
        ]),
      ),
      halfLife: Type.Optional(
        Type.String({
          pattern: halfLifePattern,
          description: 'a number of minutes, hours or days, such as 12h or 30d',
        }),
      ),
      from: Type.Optional(
        Type.Object(
          {
            lat: Type.Number({ minimum: -90, maximum: 90 }),
            lon: Type.Number({ minimum: -180, maximum: 180 }),
          },
          closed,
        ),
      ),
      halfDistance: Type.Optional(
        Type.String({
          pattern: halfDistancePattern,
          description: 'a distance in m, km or mi, such as 5km',
        }),
      ),
    },
    closed,
  ),
} as const
/** A facet whose field is known: that of the definition, or the one that the caller chose. */
export type FieldFacet = Omit<Static<typeof endpointSchemas.facet>, 'field'> & { field: string }

export type Endpoint = { [K in EndpointKind]: Static<(typeof endpointSchemas)[K]> }[EndpointKind]
