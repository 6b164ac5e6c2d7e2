/** The search page of `querent demo`: a search box over the dictionary that answers with each keystroke. */
import { ApiError } from '@querent/client'
import { find, setUpFilters, showRequest, showServerLinks, showStatus } from './elements.ts'
import { resultsUrl, runSearch } from './entry-search.ts'
import { readState, type SearchState, writeState } from './search-state.ts'
import { hideResults, makeSearchLink, showReply } from './view.ts'

const examples = [
  'large feline with stripes',
  'someone who studies stars',
  'fear of small spaces',
  'baby dog',
  'government by the rich',
]
/** How often an unreachable service is tried again. */
const retryMs = 3000

const box = find<HTMLInputElement>('query')
let state = readState(location.search)
let running = new AbortController()
let retry: ReturnType<typeof setTimeout> | undefined

/** Searches for the current state. A later search cancels this one. */
const search = async (): Promise<void> => {
  running.abort()
  running = new AbortController()
  clearTimeout(retry)
  const { signal } = running
  const isBlank = state.query.trim() === ''
  const request = find('request')
  request.hidden = isBlank
  if (isBlank) return showReply(state, undefined)
  try {
    const reply = await runSearch(state, signal)
    if (signal.aborted) return
    showReply(state, reply)
    showRequest(resultsUrl(state), reply.body)
  } catch (error) {
    if (signal.aborted) return
    hideResults()
    if (error instanceof ApiError) return showStatus(error.message, { isError: true })
    showStatus('No connection to the search. It goes on when the connection is back.', { isError: true })
    retry = setTimeout(() => void search(), retryMs)
  }
}
addEventListener('online', () => void search())

/** Shows a new state. While a person types, the address changes without a new entry in the history. */
const change = (next: SearchState, { isTyping = false } = {}): void => {
  state = next
  history[isTyping ? 'replaceState' : 'pushState'](null, '', writeState(state))
  if (box.value !== state.query) box.value = state.query
  void search()
}

box.addEventListener('input', () => change({ ...state, query: box.value, page: 1 }, { isTyping: true }))
find('form').addEventListener('submit', event => {
  event.preventDefault()
  if (writeState(readState(location.search)) !== writeState(state)) change(state)
})
find('facets').addEventListener('change', () => {
  const readSelected = (facet: string) =>
    [...document.querySelectorAll<HTMLInputElement>(`#facets input[name=${facet}]:checked`)].map(
      ({ value }) => value,
    )
  change({
    ...state,
    selected: { partOfSpeech: readSelected('partOfSpeech'), domain: readSelected('domain') },
    page: 1,
  })
})
for (const [id, step] of [
  ['previous', -1],
  ['next', 1],
] as const)
  find(id).addEventListener('click', () => {
    change({ ...state, page: state.page + step })
    scrollTo({ top: 0 })
  })
// Links to other searches are ordinary addresses. Without a modifier key, they need no new page.
document.addEventListener('click', event => {
  const link = event.target instanceof Element ? event.target.closest('main a, .brand') : null
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return
  event.preventDefault()
  change(readState(link.search))
  scrollTo({ top: 0 })
  box.focus()
})
addEventListener('popstate', () => {
  state = readState(location.search)
  box.value = state.query
  void search()
})

/** `/` goes to the search box, arrow keys go through the results. */
document.addEventListener('keydown', event => {
  const { key, altKey, ctrlKey, metaKey } = event
  if (altKey || ctrlKey || metaKey) return
  if (key === '/' && document.activeElement !== box) {
    event.preventDefault()
    return box.select()
  }
  if (key !== 'ArrowDown' && key !== 'ArrowUp') return
  const stops = [box, ...document.querySelectorAll<HTMLElement>('#results h2 a')]
  const place = stops.indexOf(document.activeElement as HTMLElement)
  const next = stops[place + (key === 'ArrowDown' ? 1 : -1)]
  if (place < 0 || !next) return
  event.preventDefault()
  next.focus()
})

find('examples')
  .querySelector('ul')
  ?.append(
    ...examples.map(text => {
      const item = document.createElement('li')
      item.append(makeSearchLink(text))
      return item
    }),
  )

setUpFilters()
box.value = state.query
box.focus()
void search()
// The page works without them.
void showServerLinks().catch(() => {})
