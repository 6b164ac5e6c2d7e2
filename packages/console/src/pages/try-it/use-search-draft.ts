import { useDebouncedCallback } from '@mantine/hooks'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { ApiDescription } from '@querent/contract/query'
import { useEffect, useRef, useState } from 'react'
import { writeSearchStack } from './search.ts'
import { type Draft, readDraft, writeDraft } from './search-draft.ts'

/** Long enough for a fast typist's next key. */
const typingPauseMs = 150
/** The router shows an address that it was given long before. */
const shownWithinMs = 5_000

export interface SearchRequest {
  stack: StackedEndpoint[]
  config: string | undefined
  /** Takes the place of the previous search in the history: a person is still typing. */
  replace: boolean
  /** Sends the query again, even if it is the same: documents may have changed. */
  refresh: boolean
}

interface SearchDraftInput {
  description: ApiDescription
  /** The query in the address. */
  stack: StackedEndpoint[]
  config: string | undefined
  onSearch: (request: SearchRequest) => unknown
}

const addressKey = (stack: readonly StackedEndpoint[], config: string | undefined): string =>
  `${writeSearchStack(stack) ?? ''} ${config ?? ''}`

/**
 * The query in the form, which is ahead of the one in the address while a person types. The form follows the address when something else changes
 * it, such as the Back button, and never when the change is its own.
 */
export const useSearchDraft = ({ description, stack, config, onSearch }: SearchDraftInput) => {
  const [draft, setDraft] = useState(() => readDraft(stack, config, description))
  const address = addressKey(stack, config)
  /** Addresses that the form has set and the router has not shown yet, oldest first. */
  const pending = useRef<{ address: string; at: number }[]>([])
  /** Whether the latest address is from the text that the person is typing. */
  const isTyping = useRef(false)

  const search = (next: Draft, how: Pick<SearchRequest, 'replace' | 'refresh'>) => {
    const query = writeDraft(next, description)
    const nextAddress = addressKey(query, next.config)
    const isSame = nextAddress === (pending.current.at(-1)?.address ?? address)
    if (isSame && !how.refresh) return
    if (!isSame) pending.current.push({ address: nextAddress, at: Date.now() })
    onSearch({ stack: query, config: next.config, ...how })
  }
  const searchTyped = useDebouncedCallback((next: Draft) => {
    // The first text is a new place in the history, which Back leaves as a whole.
    search(next, { replace: isTyping.current, refresh: false })
    isTyping.current = true
  }, typingPauseMs)
  const finishTyping = () => {
    searchTyped.flush()
    isTyping.current = false
  }

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address stands for the query
  useEffect(() => {
    const index = pending.current.findIndex(
      own => own.address === address && Date.now() - own.at < shownWithinMs,
    )
    pending.current = pending.current.slice(index + 1)
    if (index >= 0) return
    searchTyped.cancel()
    isTyping.current = false
    pending.current = []
    setDraft(readDraft(stack, config, description))
  }, [address])

  return {
    draft,
    /** Searches for a text while it is typed. */
    type(next: Draft) {
      setDraft(next)
      searchTyped(next)
    },
    /** Changes the form only; `finishTyping` or `change` searches. */
    edit: setDraft,
    /** Searches at once. */
    change(next: Draft) {
      finishTyping()
      setDraft(next)
      search(next, { replace: false, refresh: false })
    },
    /** Searches for what is in the form, when a person leaves a field. */
    finish() {
      finishTyping()
      search(draft, { replace: false, refresh: false })
    },
    submit() {
      searchTyped.cancel()
      search(draft, { replace: isTyping.current, refresh: true })
      isTyping.current = false
    },
  }
}
