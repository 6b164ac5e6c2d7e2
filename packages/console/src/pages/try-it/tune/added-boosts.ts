/** Boosts that a person adds to a search while tuning it: an endpoint of kind boost, named in the search's `boosts`. */
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
  const stem = toName(`boost-${field}`)
  const boost = Object.hasOwn(endpoints, stem) ? `${stem}-${Object.keys(endpoints).length}` : stem
  return [
    endpointEdit(api, boost, proposeBoost({ collection, name: field, type })),
    endpointKeyEdit(api, name, 'boosts', [...(endpoint.boosts ?? []), boost]),
  ]
}
