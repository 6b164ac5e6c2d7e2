/**
 * A proposal for a collection and its first search, made from a sample of documents (`POST …/proposals`, `querent new --from`). A person may
 * change it before it becomes part of the workspace file.
 */
// Over 400 lines: the schemas of a proposal beside what becomes of each of their fields.
import type { Endpoint } from './endpoints.ts'
import { type Language, languages } from './languages.ts'
import { writeLatin } from './latin-letters.ts'
import { proposedTitleEnds, proposedTitles } from './proposed-titles.ts'
import { type Static, Type } from './schema.ts'
import { isLikelyForeignTitle } from './title-names.ts'
import { toTitle } from './titles.ts'
import {
  type Api,
  type Collection,
  type Field,
  type PairOrder,
  pairOrders,
  type WorkspaceFile,
} from './workspace-file.ts'
import { workspaceLimits } from './workspace-limits.ts'
import { FieldName, namePattern, reservedEndpointNames, Title } from './workspace-names.ts'

/** Types that a proposal may have. Vectors need a model, which a sample does not tell. */
export const proposedTypes = ['text', 'keyword', 'number', 'date', 'boolean', 'geo', 'object'] as const
export type ProposedType = (typeof proposedTypes)[number]

const ProposedTypeName = Type.Unsafe<ProposedType>(Type.String({ enum: [...proposedTypes] }))
/** How values are read, as in the workspace file. */
export const fieldReading = {
  formats: Type.Optional(
    Type.Array(Type.String(), { description: 'Of dates, besides those of RFC 3339: dd.MM.yyyy' }),
  ),
  decimal: Type.Optional(
    Type.Unsafe<',' | '.'>(
      Type.String({
        enum: [',', '.'],
        description: 'Numbers are written as 8.000,5 or as 8,000.5',
        'x-enum-varnames': ['Comma', 'Point'],
      }),
    ),
  ),
  pairs: Type.Optional(
    Type.Unsafe<PairOrder>(
      Type.String({
        enum: [...pairOrders],
        description: 'The order of a list of two numbers that is a place',
      }),
    ),
  ),
}

/** How well the values of the sample fit a type. */
export const TypeFit = Type.Object({
  type: ProposedTypeName,
  plain: Type.Integer({
    description: 'Number of values that the type takes without `formats` and `decimal`',
  }),
  fitting: Type.Integer({ description: 'Number of values that it takes with them' }),
  rejected: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Up to 3 different values that it does not take, shortened, if nearly all are numbers or dates',
    }),
  ),
  swappedFormat: Type.Optional(
    Type.String({
      description:
        'Reads all dates too, with day and month in the other order: nothing in the values tells it',
    }),
  ),
  swappedDecimal: Type.Optional(
    Type.Unsafe<',' | '.'>(
      Type.String({
        enum: [',', '.'],
        description:
          'Reads all numbers too, as with 1.200: whether it is 1200, nothing in the values of the field tells',
        'x-enum-varnames': ['Comma', 'Point'],
      }),
    ),
  ),
  swappedPairs: Type.Optional(
    Type.Unsafe<PairOrder>(
      Type.String({
        enum: [...pairOrders],
        description: 'Makes places of all pairs too, in the other order',
      }),
    ),
  ),
  ...fieldReading,
})
export type TypeFit = Static<typeof TypeFit>

/** If a type takes this share of many values, the others may be mistakes. */
const nearShareMin = 0.95
const nearValuesMin = 20

/** Whether a type takes nearly all of the values, but not all. Always false if there are few values. */
export const takesNearlyAll = (fitting: number, values: number): boolean =>
  values >= nearValuesMin && fitting < values && fitting >= nearShareMin * values

/** Returns how the values of a text or keyword fit a number or a date, if few of them don't. */
export const findNearType = ({ type, fits }: ProposedField): TypeFit | undefined =>
  type === 'text' || type === 'keyword' ? fits.find(fit => fit.rejected !== undefined) : undefined

/** Returns how many values are places, if others are lines or areas, whose documents an import rejects. */
export const countPoints = ({ type, fits, values }: ProposedField): number | undefined => {
  const fit = type === 'geo' ? fits.find(({ type, pairs }) => type === 'geo' && !pairs) : undefined
  return fit && fit.fitting < values ? fit.fitting : undefined
}

/** Returns the other order of two numbers, if it makes places of all pairs too. */
export const findSwappedPairs = ({ type, pairs, fits }: ProposedField): PairOrder | undefined => {
  const fit = type === 'geo' ? fits.find(({ type }) => type === 'geo') : undefined
  if (!fit?.swappedPairs) return undefined
  return pairs === fit.swappedPairs ? fit.pairs : fit.swappedPairs
}

/** Returns the format of a date with day and month in the other order, if it reads all values too. */
export const findSwappedFormat = ({ type, formats, fits }: ProposedField): string | undefined => {
  const fit = type === 'date' ? fits.find(({ type }) => type === 'date') : undefined
  if (!fit?.swappedFormat) return undefined
  return formats?.[0] === fit.swappedFormat ? fit.formats?.[0] : fit.swappedFormat
}

/** Returns the other decimal sign, if it reads all numbers too. */
export const findSwappedDecimal = ({ type, decimal = '.', fits }: ProposedField): ',' | '.' | undefined => {
  const fit = type === 'number' ? fits.find(({ type }) => type === 'number') : undefined
  if (!fit?.swappedDecimal) return undefined
  return decimal === ',' ? '.' : ','
}

/** Whether a date has a time, and may lack the zone that makes it a moment. */
export const lacksZone = ({ type, formats = [], examples }: ProposedField): boolean =>
  type === 'date' &&
  formats.some(format => /[Hh]/.test(format)) &&
  !examples.every(text => /(?:Z|GMT|UTC|[+-]\d\d:?\d\d)$/.test(text.trim()))

export const PlaceAttributes = Type.Object(
  { lat: FieldName, lon: FieldName },
  { description: 'The attributes that make a place' },
)

export const ProposedField = Type.Object({
  name: FieldName,
  type: ProposedTypeName,
  use: Type.Boolean({ description: 'false: stored and shown, not searched' }),
  weight: Type.Integer({ description: 'Of a text, relative to the other texts' }),
  search: Type.Boolean({
    description: 'A keyword is searched too, by a second field of type text with this one as its source',
  }),
  facet: Type.Boolean({ description: 'People narrow results by its values' }),
  range: Type.Boolean({ description: 'People narrow results by a range, or by the distance from a place' }),
  sort: Type.Boolean({ description: 'People sort results by it, or by the distance from a place' }),
  breaksTies: Type.Boolean({
    description: 'Among equally good matches, those with a higher number or a later date come first',
  }),
  ...fieldReading,
  listSeparator: Type.Optional(
    Type.String({
      description:
        'Is between several values of one text, as `;` in gift;new. Absent: each text is one value',
    }),
  ),
  listSeparators: Type.Array(Type.String(), {
    description: 'Signs that may be between several values, as far as the sample tells',
  }),
  from: Type.Optional(PlaceAttributes),
  present: Type.Integer({ description: 'Number of documents of the sample with a value' }),
  distinct: Type.Integer({ description: 'Number of its different values in the sample' }),
  examples: Type.Array(Type.String(), { description: 'Up to 3 different values, shortened' }),
  values: Type.Integer({ description: 'Number of its values in the sample; a document may have several' }),
  fits: Type.Array(TypeFit, {
    description:
      'For each type that rejects some values of the sample, or reads them with `formats` or `decimal`',
  }),
})
export type ProposedField = Static<typeof ProposedField>

export const FieldId = Type.Object({ field: FieldName })
export const GeneratedId = Type.Object({
  generate: Type.Union([Type.Literal('hash'), Type.Literal('row')]),
})
/** An id from a field, or one that the server generates (workspace-file.md, Ids). */
export const ProposedId = Type.Union([FieldId, GeneratedId])
export type ProposedId = Static<typeof ProposedId>

/** Where the documents are in a JSON object that has several lists of objects. */
export const ProposedRows = Type.Object({
  path: Type.String({ description: 'Path of the list that has the documents: the longest one' }),
  others: Type.Array(Type.String(), {
    description: 'Paths of the other lists; an import takes one as `rows`',
  }),
})
export type ProposedRows = Static<typeof ProposedRows>

export const UnreadableDocuments = Type.Object(
  {
    documents: Type.Integer({ description: 'Number of documents of the sample that an import would reject' }),
    first: Type.String({ description: 'Says where the first one is, and what is wrong with it' }),
  },
  { description: 'Documents that an import cannot read' },
)
export type UnreadableDocuments = Static<typeof UnreadableDocuments>

export const NearId = Type.Object(
  {
    field: FieldName,
    documents: Type.Integer({ description: 'Number of documents whose values were compared' }),
    repeated: Type.Integer({
      description: 'Number of documents with the value of an earlier one: an import replaces the earlier one',
    }),
    missing: Type.Integer({ description: 'Number of documents without a value: an import rejects them' }),
    examples: Type.Array(Type.String(), {
      description: 'Up to 3 values that several documents have, shortened',
    }),
  },
  { description: 'A field named like an id that nearly all documents have, with different values' },
)
export type NearId = Static<typeof NearId>

export const Proposal = Type.Object({
  collection: Type.String({ pattern: namePattern }),
  title: Title,
  id: ProposedId,
  idFields: Type.Array(FieldName, {
    description: 'Fields that have a different value in each document of the sample; the first is the best',
  }),
  nearIds: Type.Array(NearId, {
    description: 'Fields named like an id whose values differ except a few; the first is the best',
  }),
  language: Type.Unsafe<Language>(Type.String({ enum: [...languages] })),
  languageConfidence: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'Share of the texts that speak for the language; 0 for `general` if nothing tells',
  }),
  documents: Type.Integer({ description: 'Number of documents in the sample' }),
  coverage: Type.Union([Type.Literal('whole'), Type.Literal('beginning'), Type.Literal('spread')], {
    description:
      'Whether the sample is the whole file, its beginning, or its beginning and parts up to its end',
  }),
  equalDocuments: Type.Integer({
    description:
      'Number of documents of the sample that equal an earlier one: a hash makes one document of them',
  }),
  rows: Type.Optional(ProposedRows),
  unreadable: Type.Optional(UnreadableDocuments),
  fields: Type.Array(ProposedField, { description: 'In the order of the file' }),
  sample: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'The first documents',
  }),
})
export type Proposal = Static<typeof Proposal>

/** Whether ids are positions, which only an import of the whole file can give. */
export const isByRow = ({ id }: Proposal): boolean => 'generate' in id && id.generate === 'row'

/** Returns what is known about the id if it is a field whose values do not all differ. */
export const findNearId = ({ id, nearIds }: Pick<Proposal, 'id' | 'nearIds'>): NearId | undefined =>
  'field' in id ? nearIds.find(({ field }) => field === id.field) : undefined

/** The weight of a title. Other texts have 1. */
export const titleWeight = 3

/** Types that a facet, a range, a sort and a field that breaks ties can have. */
export const facetTypes: readonly ProposedType[] = ['keyword', 'boolean', 'number', 'date']
export const separatedTypes: readonly ProposedType[] = ['text', 'keyword', 'number', 'date']
export const rangeTypes: readonly ProposedType[] = ['number', 'date', 'geo']
export const tieTypes: readonly ProposedType[] = ['number', 'date']
export const sortTypes: readonly ProposedType[] = ['number', 'date', 'text', 'keyword', 'geo']

/** Returns the collection of a proposal. */
export const proposedCollection = ({ collection, title, id, language, fields }: Proposal): Collection => {
  const usedFields = fields.filter(({ use }) => use)
  const uniqueName = createUniqueNames(fields.map(({ name }) => name))
  return {
    ...(title === toTitle(collection) ? {} : { title }),
    id,
    language,
    fields: Object.fromEntries([
      ...usedFields.map((field): [string, Field] => [field.name, writeField(field)]),
      ...usedFields
        .filter(({ type, search }) => type === 'keyword' && search)
        .map(({ name }): [string, Field] => [uniqueName(`${name}-text`), { type: 'text', source: name }]),
    ]),
  }
}

/** Whether people may begin to type its values: words, and no addresses. */
const isTyped = ({ examples }: ProposedField): boolean =>
  examples.length === 0 || examples.some(text => /\p{L}{2}/u.test(text) && !/^https?:/.test(text))

/** Whether a text is a code or an abbreviation, such as `FR-0001` or `mug`. */
export const isCode = (text: string): boolean => /^(?:[!-~]{1,3}|\S*\d\S*)$/.test(text)

/** Texts with more characters are descriptions, which people don't begin to type. */
const suggestedCharactersMax = 70

/**
 * Returns the texts that people begin to type: those that count more, or the one that most likely is the title if none does. Never an id that is a code,
 * if there is another text.
 */
const chooseSuggested = ({ id, fields }: Pick<Proposal, 'id' | 'fields'>): ProposedField[] => {
  const texts = fields.filter(field => field.use && field.type === 'text' && isTyped(field))
  const isCodeId = ({ name, examples }: ProposedField) =>
    'field' in id && id.field === name && examples.length > 0 && examples.every(isCode)
  const wordTexts = texts.filter(field => !isCodeId(field))
  const candidates = wordTexts.length > 0 ? wordTexts : texts
  const heavy = candidates.filter(({ weight }) => weight > 1)
  if (heavy.length > 0) return heavy
  const isTitle = ({ name }: ProposedField) => isLikelyForeignTitle(name) || /title|name|label/i.test(name)
  const isShort = ({ examples }: ProposedField) =>
    examples.every(text => text.length <= suggestedCharactersMax)
  const best = candidates.find(isTitle) ?? candidates.find(isShort) ?? candidates[0]
  return best ? [best] : []
}

const writeField = (field: ProposedField): Field => {
  const { type, weight, formats, decimal, pairs, from, listSeparator } = field
  const separated = listSeparator === undefined ? {} : { listSeparator }
  switch (type) {
    case 'text':
      return {
        type,
        ...(weight === 1 ? {} : { weight }),
        ...(isTyped(field) ? { suggest: true } : {}),
        ...separated,
      }
    case 'keyword':
      return { type, ...separated }
    case 'number':
      return { type, ...(decimal ? { decimal } : {}), ...separated }
    case 'date':
      return { type, ...(formats && formats.length > 0 ? { formats } : {}), ...separated }
    case 'geo':
      return { type, ...(from ? { from } : {}), ...(pairs === 'lat-lon' ? { pairs } : {}) }
    default:
      return { type }
  }
}

/** Names of numbers whose lowest values people look for first. */
const lowFirst = /price|cost|fee|rank|position|order|distance|duration|elevation/i

type Order = 'ascending' | 'descending'

/** Returns the orders in which people want to see the values of a field, the usual one first. Nobody reads names from Z to A. */
const chooseOrders = ({ name, type }: ProposedField): readonly [Order, ...Order[]] => {
  if (type !== 'number' && type !== 'date') return ['ascending']
  return lowFirst.test(name) ? ['ascending', 'descending'] : ['descending', 'ascending']
}

/** Returns the end of the title of a sort. */
const describeOrder = ({ type }: ProposedField, order: Order): string => {
  const { oldest, newest, lowest, highest, alphabetic } = proposedTitleEnds
  if (type === 'date') return order === 'ascending' ? oldest : newest
  if (type === 'number') return order === 'ascending' ? lowest : highest
  return alphabetic
}

/** The half-life of a boost by a date that breaks ties. */
const tieHalfLife = '365d'

/** Returns a boost that breaks ties between equally good matches: higher numbers and later dates come first. */
export const proposeBoost = ({
  collection,
  name,
  type,
}: Pick<ProposedField, 'name' | 'type'> & { collection: string }): Endpoint => ({
  kind: 'boost',
  collection,
  field: name,
  ...(type === 'date' ? { halfLife: tieHalfLife } : { by: 'log' as const }),
  title: `${toTitle(name)}${proposedTitleEnds.tie}`,
})

/** Returns the API of a proposal. Names of endpoints come from those of the fields, and are unique. */
export const proposedApi = ({ collection, title, id, fields }: Proposal): Api => {
  const endpoints: Record<string, Endpoint> = {}
  const uniqueName = createUniqueNames(reservedEndpointNames)
  const usedFields = fields.filter(({ use }) => use)
  const add = (name: string, endpoint: Endpoint) => {
    endpoints[uniqueName(toName(name))] = endpoint
  }
  const texts = usedFields.filter(({ type }) => type === 'text')
  const hasSearch = texts.length > 0 || usedFields.some(({ type, search }) => type === 'keyword' && search)
  // Ties are those of a search.
  const ties = (hasSearch ? usedFields : [])
    .filter(({ breaksTies, type }) => breaksTies && tieTypes.includes(type))
    .slice(0, workspaceLimits.boostsPerEndpoint)
    .map(field => ({ field, boost: uniqueName(toName(`boost-${field.name}`)) }))
  // A list of its own for each search: YAML would write a shared one as an alias.
  const listBoosts = () => (ties.length > 0 ? { boosts: ties.map(({ boost }) => boost) } : {})
  if (hasSearch) {
    add('search', {
      kind: 'match',
      collection,
      prefix: true,
      typos: true,
      ...listBoosts(),
      title: proposedTitles.search,
    })
    const suggested = chooseSuggested({ id, fields })
    if (suggested.length > 0)
      add('suggest', {
        kind: 'match',
        collection,
        fields: suggested.map(({ name }) => name),
        prefix: true,
        matching: 'all',
        ...listBoosts(),
        title: proposedTitles.suggest,
      })
  }
  for (const { field, boost } of ties) endpoints[boost] = proposeBoost({ ...field, collection })
  add('all', { kind: 'all', collection, title: proposedTitles.all })
  add('document', { kind: 'lookup', collection, title: proposedTitles.document })
  for (const { name } of usedFields.filter(({ facet, type }) => facet && facetTypes.includes(type)))
    add(name, { kind: 'facet', collection, field: name, title: toTitle(name) })
  for (const [name, endpoint] of listMeasures(collection, usedFields)) add(name, endpoint)
  return { title, endpoints }
}

/** Yields the endpoints by which people narrow and sort results by numbers, dates and distances. */
function* listMeasures(
  collection: string,
  usedFields: readonly ProposedField[],
): Generator<[name: string, endpoint: Endpoint]> {
  const isOnlyPlace = usedFields.filter(({ type }) => type === 'geo').length === 1
  for (const { name, type } of usedFields.filter(({ range, type }) => range && rangeTypes.includes(type))) {
    const target = { collection, field: name }
    const title = toTitle(name)
    if (type === 'geo') {
      const near = isOnlyPlace ? proposedTitles.near : `${title}${proposedTitleEnds.near}`
      yield [`${toName(name)}-near`, { kind: 'filter', ...target, title: near }]
    } else
      yield [
        `${toName(name)}-range`,
        { kind: 'range', ...target, title: `${title}${proposedTitleEnds.between}` },
      ]
  }
  for (const field of usedFields.filter(({ sort, type }) => sort && sortTypes.includes(type))) {
    const target = { collection, field: field.name }
    const stem = toName(`by-${field.name}`)
    const title = toTitle(field.name)
    if (field.type === 'geo') {
      const nearest = isOnlyPlace ? proposedTitles.nearest : `${title}${proposedTitleEnds.nearest}`
      yield [stem, { kind: 'sort', ...target, title: nearest }]
      continue
    }
    for (const [index, order] of chooseOrders(field).entries())
      yield [
        index === 0 ? stem : `${stem}-${order}`,
        { kind: 'sort', ...target, order, title: `${title}${describeOrder(field, order)}` },
      ]
  }
}

/** Adds the collection and the API of a proposal to a workspace file. Both have the name of the collection. */
export const addProposal = (file: WorkspaceFile, proposal: Proposal): WorkspaceFile => ({
  ...file,
  collections: { ...file.collections, [proposal.collection]: proposedCollection(proposal) },
  apis: { ...file.apis, [proposal.collection]: proposedApi(proposal) },
})

/** Returns a name of collections and endpoints for any text: `fallback` if the text has no letter or digit that an address can have. */
export const toName = (text: string, fallback = 'field'): string =>
  writeLatin(text)
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50) || fallback

/** Returns a function that makes each text unique: different from all before it and from the `taken` ones. */
const createUniqueNames = (taken: readonly string[]) => {
  const names = new Set(taken)
  /** The number that was last tried for a name, so that 1,000 equal ones take 1,000 steps. */
  const numbers = new Map<string, number>()
  return (name: string): string => {
    let number = numbers.get(name) ?? 1
    let candidate = number === 1 ? name : `${name}-${number}`
    while (names.has(candidate)) {
      number += 1
      candidate = `${name}-${number}`
    }
    numbers.set(name, number)
    names.add(candidate)
    return candidate
  }
}

/** Whether rows of one handle leave the title, vendor and type to the first of them, as exports of Shopify do. */
export const hasVariants = (documents: Proposal['sample']): boolean => {
  const handles = new Set(documents.flatMap(({ Handle, Title }) => (Title ? [Handle] : [])))
  return documents.some(({ Handle, Title }) => !Title && Handle !== undefined && handles.has(Handle))
}
