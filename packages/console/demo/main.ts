/** The search page of `querent demo`: a search box over the dictionary that answers with each keystroke. */
import { find, showRequest } from './elements.ts'
import { resultsUrl, runSearch } from './entry-search.ts'
import { startSearchPage } from './search-page.ts'
import { readState, searchFor, writeState } from './search-state.ts'
import { hideResults, showReply } from './view.ts'
import { watchImport } from './watch-import.ts'

const { change, search } = startSearchPage({
  ...{ readState, writeState, searchFor, hideResults },
  examples: [
    'large feline with stripes',
    'someone who studies stars',
    'fear of small spaces',
    'baby dog',
    'government by the rich',
  ],
  exampleList: find('example-list'),
  searchLinks: 'main a, .brand',
  scrollToPage: () => scrollTo({ top: 0 }),
  async search(state, signal) {
    const isBlank = state.query.trim() === ''
    find('request').hidden = isBlank
    const reply = isBlank ? undefined : await runSearch(state, signal)
    return () => {
      showReply(state, reply)
      if (reply) showRequest(resultsUrl(state), reply.body)
    }
  },
})

// The page works without it.
void watchImport({ api: 'search-page', expected: 117_791, noun: 'entries', search }).catch(() => {})

find('facets').addEventListener('change', () => {
  const readSelected = (facet: string) =>
    [...document.querySelectorAll<HTMLInputElement>(`#facets input[name=${facet}]:checked`)].map(
      ({ value }) => value,
    )
  change({ selected: { partOfSpeech: readSelected('partOfSpeech'), domain: readSelected('domain') } })
})

/** Arrow keys go through the results. */
document.addEventListener('keydown', event => {
  const { key, altKey, ctrlKey, metaKey } = event
  if (altKey || ctrlKey || metaKey || (key !== 'ArrowDown' && key !== 'ArrowUp')) return
  const stops = [find('query'), ...document.querySelectorAll<HTMLElement>('#results h2 a')]
  const place = stops.indexOf(document.activeElement as HTMLElement)
  const next = stops[place + (key === 'ArrowDown' ? 1 : -1)]
  if (place < 0 || !next) return
  event.preventDefault()
  next.focus()
})
