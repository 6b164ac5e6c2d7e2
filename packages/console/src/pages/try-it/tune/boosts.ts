/** Boosts that a search always has: endpoints of kind boost, named in the search's `boosts`. A person adds, changes and removes them while tuning it. */
import { endpointEdit, endpointKeyEdit, type WorkspaceEdit } from '@querent/contract/edit-workspace-text'
import { boostableKinds } from '@querent/contract/endpoint-traits'
import type { Endpoint } from '@querent/contract/endpoints'
import type { StackedEndpoint } from '@querent/contract/paths'
import { proposeBoost, toName } from '@querent/contract/proposal'
import { toTitle } from '@querent/contract/titles'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { workspaceLimits } from '@querent/contract/workspace-limits'

type RankingEndpoint = Extract<Endpoint, { boosts?: string[] }>

export interface BoostableField {
  name: string
  title: string
}

const isRanking = (endpoint: Endpoint | undefined): endpoint is RankingEndpoint =>
  endpoint !== undefined && boostableKinds.includes(endpoint.kind)

/** Returns the first endpoint of the query that ranks, by name. */
const findRanking = (file: WorkspaceFile, api: string, stack: readonly StackedEndpoint[]) => {
  const endpoints = file.apis?.[api]?.endpoints ?? {}
  const name = stack.map(({ endpoint }) => endpoint).find(candidate => isRanking(endpoints[candidate]))
  const endpoint = name === undefined ? undefined : endpoints[name]
  return name !== undefined && isRanking(endpoint) ? { name, endpoint, endpoints } : undefined
}

/** Returns the collection of an endpoint; that of its first part for a mix. */
const findCollection = (
  endpoint: Endpoint | undefined,
  endpoints: Readonly<Record<string, Endpoint>>,
): string | undefined => {
  if (endpoint?.kind !== 'mix') return endpoint && 'collection' in endpoint ? endpoint.collection : undefined
  const [part] = Object.keys(endpoint.of)
  return part === undefined ? undefined : findCollection(endpoints[part], endpoints)
}

/** Returns the numbers and dates that may boost the query and don't yet. */
export const listBoostableFields = (
  file: WorkspaceFile,
  api: string,
  stack: readonly StackedEndpoint[],
): BoostableField[] => {
  const ranking = findRanking(file, api, stack)
  const { boosts = [] } = ranking?.endpoint ?? {}
  const collection = ranking && findCollection(ranking.endpoint, ranking.endpoints)
  if (collection === undefined || boosts.length >= workspaceLimits.boostsPerEndpoint) return []
  const boostedFields = boosts.map(name => {
    const boost = ranking?.endpoints[name]
    return boost?.kind === 'boost' ? boost.field : undefined
  })
  return Object.entries(file.collections?.[collection]?.fields ?? {}).flatMap(([name, field]) =>
    (field.type === 'number' || field.type === 'date') && !boostedFields.includes(name)
      ? [{ name, title: field.title ?? toTitle(name) }]
      : [],
  )
}

/** Returns the edits that make a field boost the query. */
export const addBoost = (
  file: WorkspaceFile,
  api: string,
  stack: readonly StackedEndpoint[],
  field: string,
): WorkspaceEdit[] => {
  const ranking = findRanking(file, api, stack)
  const collection = ranking && findCollection(ranking.endpoint, ranking.endpoints)
  const type = file.collections?.[collection ?? '']?.fields?.[field]?.type
  if (!ranking || collection === undefined || (type !== 'number' && type !== 'date')) return []
  const { name, endpoint, endpoints } = ranking
  const existing = Object.keys(endpoints).find(candidate => isPlainBoost(endpoints[candidate], field))
  if (existing !== undefined)
    return [endpointKeyEdit(api, name, 'boosts', [...(endpoint.boosts ?? []), existing])]
  const stem = toName(`boost-${field}`)
  const boost = Object.hasOwn(endpoints, stem) ? `${stem}-${Object.keys(endpoints).length}` : stem
  return [
    endpointEdit(api, boost, proposeBoost({ collection, name: field, type })),
    endpointKeyEdit(api, name, 'boosts', [...(endpoint.boosts ?? []), boost]),
  ]
}

/** Whether an endpoint boosts by the numbers or dates of the field, as one that was removed before. */
const isPlainBoost = (endpoint: Endpoint | undefined, field: string): boolean =>
  endpoint?.kind === 'boost' &&
  endpoint.field === field &&
  (endpoint.halfLife !== undefined || endpoint.by === 'log' || endpoint.by === 'linear')

export interface WorkingBoost {
  /** Name of the endpoint of kind boost. */
  name: string
  title: string
  field: string
  /** Whether it multiplies by the number itself or by its logarithm; undefined for other boosts. */
  by: 'log' | 'linear' | undefined
  /** Whether it orders only documents that match equally well. */
  breaksTies: boolean
  /** The search that always has it. */
  search: string
}

/** Lists the boosts that the searches of a query always have, also those of the parts of a mix. */
export const listWorkingBoosts = (
  file: WorkspaceFile,
  api: string,
  stack: readonly StackedEndpoint[],
): WorkingBoost[] => {
  const endpoints = file.apis?.[api]?.endpoints ?? {}
  const names = stack.flatMap(({ endpoint: name }) => {
    const endpoint = endpoints[name]
    return endpoint?.kind === 'mix' ? [name, ...Object.keys(endpoint.of)] : [name]
  })
  return [...new Set(names)].flatMap(search => {
    const ranking = endpoints[search]
    if (!isRanking(ranking)) return []
    const breaksTies = ranking.kind === 'match' && (ranking.prefix === true || Boolean(ranking.typos))
    return (ranking.boosts ?? []).flatMap(name => {
      const boost = endpoints[name]
      if (boost?.kind !== 'boost') return []
      const { field, title = name } = boost
      const measure = boost.by === 'log' || boost.by === 'linear' ? boost.by : undefined
      return [{ name, title, field, by: measure, breaksTies, search }]
    })
  })
}

/** Returns the edit after which the search has the boost no more. The endpoint stays, because queries may name it. */
export const removeBoost = (
  file: WorkspaceFile,
  api: string,
  { name, search }: WorkingBoost,
): WorkspaceEdit => {
  const endpoint = file.apis?.[api]?.endpoints?.[search]
  const rest = isRanking(endpoint) ? (endpoint.boosts ?? []).filter(other => other !== name) : []
  return endpointKeyEdit(api, search, 'boosts', rest.length > 0 ? rest : undefined)
}
