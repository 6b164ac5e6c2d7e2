/** Schemas of the fields of a collection (workspace-file.md, Field types). */
import { type Language as LanguageName, languages } from './languages.ts'
import { GroupName, groupsMax } from './manage/rights.ts'
import { type Static, Type } from './schema.ts'
import { workspaceLimits as limits } from './workspace-limits.ts'
import { closed, FieldKey, FieldName, Title } from './workspace-names.ts'

export const Language = Type.Unsafe<LanguageName>(Type.String({ enum: [...languages] }))

/** Groups whose members see a field, besides administrators. */
const visible = {
  visible: Type.Optional(Type.Array(GroupName, { maxItems: groupsMax, uniqueItems: true })),
}

/** Between the values of a text that stands for several. */
const listSeparator = { listSeparator: Type.Optional(Type.String({ minLength: 1, maxLength: 5 })) }

/** Orders of a list of two numbers that is a place: as GeoJSON has it, or as people say it. */
export const pairOrders = ['lon-lat', 'lat-lon'] as const
export type PairOrder = (typeof pairOrders)[number]

/** The types of fields that an object may have inside. */
const valueFields = [
  Type.Object(
    {
      type: Type.Literal('text'),
      ...visible,
      ...listSeparator,
      title: Type.Optional(Title),
      language: Type.Optional(Language),
      weight: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 1000 })),
      suggest: Type.Optional(Type.Boolean()),
      codes: Type.Optional(Type.Boolean()),
      source: Type.Optional(FieldName),
    },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal('keyword'),
      ...visible,
      ...listSeparator,
      title: Type.Optional(Title),
      source: Type.Optional(FieldName),
    },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal('number'),
      ...visible,
      ...listSeparator,
      title: Type.Optional(Title),
      source: Type.Optional(FieldName),
      decimal: Type.Optional(Type.Union([Type.Literal('.'), Type.Literal(',')])),
    },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal('date'),
      ...visible,
      ...listSeparator,
      title: Type.Optional(Title),
      source: Type.Optional(FieldName),
      formats: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
          minItems: 1,
          maxItems: limits.dateFormatsPerField,
        }),
      ),
    },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal('boolean'),
      ...visible,
      title: Type.Optional(Title),
      source: Type.Optional(FieldName),
    },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal('geo'),
      ...visible,
      title: Type.Optional(Title),
      source: Type.Optional(FieldName),
      from: Type.Optional(Type.Object({ lat: FieldName, lon: FieldName }, closed)),
      pairs: Type.Optional(Type.Unsafe<PairOrder>(Type.String({ enum: [...pairOrders] }))),
    },
    closed,
  ),
] as const

export const Field = Type.Union([
  ...valueFields,
  Type.Object(
    {
      type: Type.Literal('object'),
      ...visible,
      title: Type.Optional(Title),
      together: Type.Optional(Type.Boolean()),
      fields: Type.Optional(
        Type.Record(FieldKey, Type.Union([...valueFields]), { maxProperties: limits.fieldsPerCollection }),
      ),
    },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal('vector'),
      ...visible,
      dimensions: Type.Integer({ minimum: 1, maximum: 4096 }),
      metric: Type.Optional(
        Type.Union([Type.Literal('cosine'), Type.Literal('dot'), Type.Literal('euclidean')]),
      ),
      embed: Type.Optional(
        Type.Object(
          {
            fields: Type.Array(FieldName, {
              minItems: 1,
              maxItems: limits.fieldsPerEndpoint,
              uniqueItems: true,
            }),
            with: Type.String({ minLength: 1, maxLength: 100 }),
          },
          closed,
        ),
      ),
      title: Type.Optional(Title),
    },
    closed,
  ),
])
export type Field = Static<typeof Field>
export type FieldType = Field['type']
