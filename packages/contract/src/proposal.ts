/**
 * A proposal for a collection and its first search, made from a sample of documents (`POST …/proposals`, `querent new --from`). A person may
 * change it before it becomes part of the workspace file.
 */
import type { Endpoint } from './endpoints.ts'
import { type Language, languages } from './languages.ts'
import { type Static, Type } from './schema.ts'
import type { Api, Collection, Field, WorkspaceFile } from './workspace-file.ts'
import { FieldName, namePattern, reservedEndpointNames, Title } from './workspace-names.ts'

/** Types that a proposal may have. Vectors need a model, which a sample does not tell. */
export const proposedTypes = ['text', 'keyword', 'number', 'date', 'boolean', 'geo', 'object'] as const
export type ProposedType = (typeof proposedTypes)[number]

export const ProposedField = Type.Object({
  name: FieldName,
  type: Type.Unsafe<ProposedType>(Type.String({ enum: [...proposedTypes] })),
  use: Type.Boolean({ description: 'false: stored and shown, not searched' }),
  weight: Type.Integer({ description: 'Of a text, relative to the other texts' }),
  facet: Type.Boolean({ description: 'People narrow results by its values' }),
  sort: Type.Boolean({ description: 'People sort results by it, and narrow them by a range' }),
  present: Type.Integer({ description: 'Number of documents of the sample with a value' }),
  distinct: Type.Integer({ description: 'Number of its different values in the sample' }),
  examples: Type.Array(Type.String(), { description: 'Up to 3 different values, shortened' }),
})
export type ProposedField = Static<typeof ProposedField>

export const Proposal = Type.Object({
  collection: Type.String({ pattern: namePattern }),
  title: Title,
  idField: FieldName,
  idFields: Type.Array(FieldName, {
    description: 'Fields that have a different value in each document; the first is the best',
  }),
  language: Type.Unsafe<Language>(Type.String({ enum: [...languages] })),
  documents: Type.Integer({ description: 'Number of documents in the sample' }),
  fields: Type.Array(ProposedField, { description: 'In the order of the file, without the id' }),
  sample: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'The first documents',
  }),
})
export type Proposal = Static<typeof Proposal>

/** The weight of a title. Other texts have 1. */
export const titleWeight = 3

/** Types that a facet and a sort can have. */
export const facetTypes: readonly ProposedType[] = ['keyword', 'boolean', 'number', 'date']
export const sortTypes: readonly ProposedType[] = ['number', 'date', 'text', 'keyword']

/** Returns the collection of a proposal. */
export const proposedCollection = ({ idField, language, fields }: Proposal): Collection => ({
  id: { field: idField },
  language,
  fields: Object.fromEntries(
    fields
      .filter(({ use, name }) => use && name !== idField)
      .map(({ name, type, weight }): [string, Field] => [
        name,
        type === 'text' ? { type, ...(weight === 1 ? {} : { weight }), suggest: true } : { type },
      ]),
  ),
})

/** Returns the API of a proposal. Names of endpoints come from those of the fields, and are unique. */
export const proposedApi = ({ collection, title, idField, fields }: Proposal): Api => {
  const endpoints: Record<string, Endpoint> = {}
  const uniqueName = createUniqueNames(reservedEndpointNames)
  const usedFields = fields.filter(({ use, name }) => use && name !== idField)
  const add = (name: string, endpoint: Endpoint) => {
    endpoints[uniqueName(name)] = endpoint
  }
  const texts = usedFields.filter(({ type }) => type === 'text')
  if (texts.length > 0) {
    add('search', { kind: 'match', collection, prefix: true, typos: true, title: 'Search' })
    const [first] = texts.toSorted((one, next) => next.weight - one.weight)
    if (first)
      add('suggest', { kind: 'match', collection, fields: [first.name], prefix: true, matching: 'all' })
  }
  add('all', { kind: 'all', collection, title: 'Everything' })
  add('document', { kind: 'lookup', collection, title: 'One document' })
  for (const { name } of usedFields.filter(({ facet, type }) => facet && facetTypes.includes(type)))
    add(name, { kind: 'facet', collection, field: name, title: toTitle(name) })
  for (const { name, type } of usedFields.filter(field => field.sort && sortTypes.includes(field.type))) {
    if (type === 'number' || type === 'date')
      add(`${name}-range`, { kind: 'range', collection, field: name, title: `${toTitle(name)} between` })
    for (const [suffix, order] of [
      ['', 'ascending'],
      ['-descending', 'descending'],
    ] as const)
      add(`by-${name}${suffix}`, {
        kind: 'sort',
        collection,
        field: name,
        order,
        title: `${toTitle(name)}, ${order}`,
      })
  }
  return { title, endpoints }
}

/** Adds the collection and the API of a proposal to a workspace file. Both have the name of the collection. */
export const addProposal = (file: WorkspaceFile, proposal: Proposal): WorkspaceFile => ({
  ...file,
  collections: { ...file.collections, [proposal.collection]: proposedCollection(proposal) },
  apis: { ...file.apis, [proposal.collection]: proposedApi(proposal) },
})

/** Returns a name of collections and endpoints for any text. */
export const toName = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 50) || 'field'

/** Returns the words of a name: `date_published` becomes `Date published`. */
export const toTitle = (name: string): string => {
  const words = name
    .replace(/([a-z])([A-Z])/g, (_, end: string, start: string) => `${end} ${start.toLowerCase()}`)
    .replace(/[_.-]+/g, ' ')
    .trim()
  return words === '' ? name : `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}

/** Returns a function that makes a name for each text, different from all before it and from the `taken` ones. */
const createUniqueNames = (taken: readonly string[]) => {
  const names = new Set(taken)
  /** The number that was last tried for a name, so that 1,000 equal ones take 1,000 steps. */
  const numbers = new Map<string, number>()
  return (text: string): string => {
    const name = toName(text)
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
