/** Describes a request and its answer in words. */
import type { OperationReply } from '@querent/contract/manage'
import { readStack } from '#pages/try-it/search.ts'
import type { Outcome } from './search.ts'

export type LiveRequest = OperationReply<'listLiveRequests'>['items'][number]

export const readOutcome = ({ kind, code, total, facet }: LiveRequest): Outcome | undefined => {
  if (kind === 'refusal') return 'refused'
  if (code !== null) return 'failed'
  // The client had the results already, or these are the values of a facet.
  if (total === null || facet !== null) return undefined
  return total === 0 ? 'empty' : 'found'
}

/** Returns the endpoints with their values, `search: silent river`; only the endpoint if the query log has no texts. */
export const describeSteps = ({ parameters, endpoint }: LiveRequest): string[] => {
  const stack = readStack(parameters ?? undefined)
  if (stack.length === 0) return endpoint === '' ? [] : [endpoint]
  return stack.map(step => {
    const values = step.parameters.map(({ value }) => value).filter(value => value !== '')
    // The filter of a facet.
    const name = step.endpoint.replace(/:FILTER$/, '')
    return values.length === 0 ? name : `${name}: ${values.join(', ')}`
  })
}

/** The stack that Try it opens; undefined if it can't open the request, because nothing but the endpoint is known. */
export const writeTryItStack = ({ parameters, endpoint, kind }: LiveRequest): string | undefined => {
  if (kind === 'refusal' || endpoint === '') return undefined
  return readStack(parameters ?? undefined).length > 0 ? (parameters ?? undefined) : undefined
}

/** Requests of one search, which a page sends at once: its results and the values of each facet. */
export interface RequestGroup extends LiveRequest {
  requestCount: number
  /** Whether some of them ask for the values of a facet. */
  hasFacets: boolean
}

/** The requests of a search come within this time. */
const togetherMs = 1000

/**
 * Merges requests that came together, newest first. The search stands for those of its facets, one that counts its results for one that does
 * not, and the longest duration counts. Failed ones have the newest request ID. Without texts, a group has one search and each facet once,
 * because an account may send the searches of many people.
 */
export const groupRequests = (items: readonly LiveRequest[]): RequestGroup[] => {
  const groups: RequestGroup[] = []
  const latest = new Map<string, { group: RequestGroup; facets: Set<string | null> }>()
  for (const item of items) {
    const { at, ms, facet, requestId, total, totalRelation, ...rest } = item
    const key = JSON.stringify([rest, total === null])
    const { group, facets } = latest.get(key) ?? {}
    const isSameSearch = item.parameters !== null || facets?.has(facet) === false
    if (
      group &&
      isSameSearch &&
      item.kind === 'query' &&
      Date.parse(group.at) - Date.parse(at) <= togetherMs
    ) {
      group.requestCount += 1
      group.hasFacets ||= facet !== null
      facets?.add(facet)
      group.ms = Math.max(group.ms ?? 0, ms ?? 0)
      if (facet === null && (group.facet !== null || totalRelation === 'eq'))
        Object.assign(group, { facet, total, totalRelation })
      continue
    }
    const next = { ...item, requestCount: 1, hasFacets: facet !== null }
    latest.set(key, { group: next, facets: new Set([facet]) })
    groups.push(next)
  }
  return groups
}

/** A longer pause ends the typing of one text, as in the figures of Usage. */
const typingMs = 4000

/**
 * Counts searches as Usage does: while somebody types, only the last text counts, and a text that comes again at once is one search. `items`:
 * newest first. Without texts, each group counts.
 */
export const countSearches = (items: readonly RequestGroup[]): number => {
  const nextTexts = new Map<string, { text: string; sentAt: number }>()
  let count = 0
  for (const item of items) {
    const outcome = readOutcome(item)
    if (outcome !== 'found' && outcome !== 'empty') continue
    const text = readTypedText(item)
    const sentAt = Date.parse(item.at)
    const key = `${item.api} ${item.account?.id ?? ''}`
    const next = nextTexts.get(key)
    if (text !== undefined) nextTexts.set(key, { text, sentAt })
    const isTyping =
      text !== undefined &&
      next !== undefined &&
      next.sentAt - sentAt < typingMs &&
      (next.text.startsWith(text) || text.startsWith(next.text))
    if (!isTyping) count += 1
  }
  return count
}

/** Returns the first value of the stack in lower case; undefined without a text. */
const readTypedText = ({ parameters }: LiveRequest): string | undefined =>
  readStack(parameters ?? undefined)
    .flatMap(step => step.parameters.map(({ value }) => value))
    .at(0)
    ?.trim()
    .toLowerCase()
