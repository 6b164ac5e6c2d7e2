/** What URLs ask, kept in bounded memory: clients ask the same again, to hear whether anything has changed. */
import type { RowFilter } from '@querent/contract/manage'
import { type ApiRequest, PathError, readApiRequest } from '@querent/contract/paths'
import { LRUCache } from 'lru-cache'
import { Problem } from '#errors'
import { type QueryAddress, readAddress } from '#query/address'
import type { Format } from '#query/formats/formats'
import type { QueryOptions } from '#query/options'
import type { CompiledApi, PlannedQuery } from '#query/plan/compile'
import type { WorkspaceRow } from '#storage/workspaces'
import { entityTag } from './etag.ts'

/** What one URL says, each part read when it is first needed. Nothing of it depends on who asks, but plans, which know for whom they are. */
export interface Question {
  readonly address: QueryAddress
  request?: ApiRequest
  options?: QueryOptions
  query?: Planned<PlannedQuery>
  optionsOf?: Planned<ReturnType<CompiledApi['options']>>
}

/** A plan with what it was made of besides the URL. */
export interface Planned<Query extends PlannedQuery> {
  /** Of one version of the workspace's definition. */
  readonly api: CompiledApi
  readonly filters: readonly RowFilter[]
  readonly query: Query
  /** Of the last reply, with what it was made of besides the plan. */
  tag?: { generation: string; version: number; format: Format; vary: string; text: string }
}

export interface Questions {
  /** `url` is one that `isQueryUrl` accepts. */
  of(url: string): Question
  /** Undefined where it is not remembered. */
  kept(url: string): Question | undefined
  /** Remembers one that could be planned, so that nobody fills the memory who may not ask. */
  keep(url: string, question: Question): void
  /** How many are kept. */
  size(): number
}

/** 2,000 take about 10 MB. */
const questionsMax = 2_000
const urlCharsMax = 1_000

export const openQuestions = (): Questions => {
  const kept = new LRUCache<string, Question>({ max: questionsMax })
  return {
    of: url => kept.get(url) ?? { address: readAddress(url) },
    kept: url => kept.get(url),
    keep(url, question) {
      if (url.length <= urlCharsMax) kept.set(url, question)
    },
    size: () => kept.size,
  }
}

/** The plan as it was made before; made again where the definition or a row filter is another. */
export const plannedFor = <Query extends PlannedQuery>(
  before: Planned<Query> | undefined,
  asking: For,
  make: () => Query,
): Planned<Query> => {
  if (before && isPlannedFor(before, asking)) return before
  const { api, filters } = asking
  return { api, filters, query: make() }
}

interface For {
  api: CompiledApi
  filters: readonly RowFilter[]
}

/** Whether a plan is what these would get. */
export const isPlannedFor = (planned: For, { api, filters }: For): boolean =>
  planned.api === api &&
  planned.filters.length === filters.length &&
  // By identity: members are read again when they change.
  planned.filters.every((filter, at) => filter === filters[at])

/** Throws Problem `bad-path`. */
export const readRequest = ({ segments }: QueryAddress): ApiRequest => {
  try {
    return readApiRequest(segments)
  } catch (error) {
    if (error instanceof PathError) throw new Problem('bad-path', error.message)
    throw error
  }
}

/** The entity tag of a reply; `version` is of the generation's index, `vary` the header that goes with it. */
export const tagOf = (
  url: string,
  workspace: WorkspaceRow,
  planned: Planned<PlannedQuery>,
  generation: string,
  version: number,
  format: Format,
  vary: string,
): string => {
  const { tag, filters } = planned
  if (tag && tag.generation === generation && tag.version === version && tag.format === format)
    return tag.text
  const restricted = filters.length === 0 ? '' : JSON.stringify(filters)
  const text = entityTag([workspace.id, workspace.version, generation, version, restricted, format, url])
  planned.tag = { generation, version, format, vary, text }
  return text
}
