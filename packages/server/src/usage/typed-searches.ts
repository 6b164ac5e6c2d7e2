/**
 * Searches as people count them: while somebody types, only the last text counts, and the parts of a page with one text are one search. It
 * remembers the last search of each caller for a few seconds, in memory only.
 */
import type { StackedEndpoint } from '@querent/contract/paths'
import { LRUCache } from 'lru-cache'
import { toDay } from '#storage/usage'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Search } from './search-buffer.ts'

/** A longer pause ends the typing of one text. */
const typingMs = 4000
const callersMax = 10_000

export interface SentSearch {
  workspace: WorkspaceRow
  api: string
  /** The first endpoint of the stack. '' if it doesn't exist. */
  endpoint: string
  stack: readonly StackedEndpoint[]
  isEmpty: boolean
  /** The account, or the address of an anonymous caller. */
  caller: string
  /** The queries of a batch have one. */
  requestId: string
}

export interface CountedSearch extends Search {
  endpoint: string
  sentAt: number
  /** A query without a text that came with another one of its batch: listed, but no search of its own. */
  isPart: boolean
}

export interface TypedSearches {
  /** Returns what to count, and with `times: -1` what to take back. `now`: milliseconds since 1970. */
  add(sent: SentSearch, now: number): CountedSearch[]
}

interface LastSearch {
  text: string
  sentAt: number
  search: CountedSearch
}

export const createTypedSearches = (): TypedSearches => {
  const lastSearches = new LRUCache<string, LastSearch>({ max: callersMax })
  // A batch is recorded in one go.
  let lastRequestId = ''
  return {
    add({ caller, requestId, ...sent }, now) {
      const { workspace, api, endpoint, isEmpty } = sent
      const stack = foldTexts(sent)
      const text = readText(sent, stack)
      const isPart = text === undefined && requestId === lastRequestId
      lastRequestId = requestId
      const search: CountedSearch = {
        ...{ workspace, api, endpoint, stack, isEmpty, isPart },
        ...{ day: toDay(now), sentAt: now, times: 1 },
      }
      if (text === undefined) return [search]
      const key = `${workspace.id} ${api} ${caller}`
      const last = lastSearches.get(key)
      const isTyping = last !== undefined && now - last.sentAt < typingMs
      if (isTyping && text === last.text) {
        last.sentAt = now
        return []
      }
      lastSearches.set(key, { text, sentAt: now, search })
      return isTyping && (text.startsWith(last.text) || last.text.startsWith(text))
        ? [{ ...last.search, times: -1 }, search]
        : [search]
    },
  }
}

/** Kinds of endpoints with a text that people type. */
const textKinds: readonly string[] = ['match', 'mix', 'nearest']

const isTyped = ({ workspace, api }: Pick<SentSearch, 'workspace' | 'api'>, endpoint: string): boolean => {
  const endpoints = workspace.definition.apis?.[api]?.endpoints ?? {}
  return Object.hasOwn(endpoints, endpoint) && textKinds.includes(endpoints[endpoint]?.kind ?? '')
}

/** Writes texts as one writes them to compare: composed, in lower case, with single blanks. Values of filters stay, because they are compared exactly. */
const foldTexts = (sent: Omit<SentSearch, 'caller' | 'requestId'>): StackedEndpoint[] =>
  sent.stack.map(({ endpoint, parameters }) => ({
    endpoint,
    parameters: isTyped(sent, endpoint)
      ? parameters.map(({ name, value }) => ({
          name,
          value: value.normalize('NFC').trim().replace(/\s+/gu, ' ').toLowerCase(),
        }))
      : parameters,
  }))

/** Returns the typed text; undefined if nothing is typed. */
const readText = (
  sent: Omit<SentSearch, 'caller' | 'requestId'>,
  stack: readonly StackedEndpoint[],
): string | undefined => {
  const typed = stack.find(({ endpoint }) => isTyped(sent, endpoint))
  return typed?.parameters.map(({ value }) => value).join(' ')
}
