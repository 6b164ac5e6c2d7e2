/** The demo's page of cities: pictures, filters, a range, sorts and a map that follow each keystroke. */
import { ApiError } from '@querent/client'
import { find, make, setUpFilters, showRequest, showServerLinks, showStatus } from '#demo/elements.ts'
import { findPoints, type Point, resultsUrl, runSearch } from './city-search.ts'
import { createMap } from './map.ts'
import {
  type CityState,
  emptyState,
  type Facet,
  populations,
  readState,
  type Sort,
  sorts,
  writeState,
} from './state.ts'
import { describeMap, hideResults, readCity, showRange, showReply } from './view.ts'

const examples = ['san', 'new york', 'capital of peru', 'tokio', 'japan', 'nederland']
/** How often an unreachable service is tried again. */
const retryMs = 3000

const box = find<HTMLInputElement>('query')
const sortSelect = find<HTMLSelectElement>('sort')
let state = readState(location.search)
let running = new AbortController()
let retry: ReturnType<typeof setTimeout> | undefined
let cities: Point[] = []

const map = createMap(find<HTMLCanvasElement>('map'), ({ lat, lon, name }) =>
  change({ ...emptyState, center: { lat, lon, name } }),
)

/** Searches for the current state. A later search cancels this one. */
const search = async (): Promise<void> => {
  running.abort()
  running = new AbortController()
  clearTimeout(retry)
  const { signal } = running
  try {
    const [reply, points] = await Promise.all([runSearch(state, signal), findPoints(state, signal)])
    if (signal.aborted) return
    showReply(state, reply)
    cities = reply.items.map(readCity)
    map.show(points)
    map.mark(cities)
    describeMap(points, reply.total)
    find('request').hidden = false
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

/** Shows a state in the form, and searches for it. */
const show = (next: CityState): void => {
  state = next
  if (box.value !== state.query) box.value = state.query
  sortSelect.value = state.sort
  showRange(state)
  void search()
}

/** Goes to a new state. While a person types or slides, the address changes without a new entry in the history. */
const change = (next: CityState, { isTyping = false } = {}): void => {
  history[isTyping ? 'replaceState' : 'pushState'](null, '', writeState(next))
  show(next)
}

box.addEventListener('input', () => change({ ...state, query: box.value, page: 1 }, { isTyping: true }))
find('form').addEventListener('submit', event => event.preventDefault())
sortSelect.append(...Object.entries(sorts).map(([value, text]) => make('option', { value }, text)))
// The options are these names.
sortSelect.addEventListener('change', () => change({ ...state, sort: sortSelect.value as Sort, page: 1 }))
find('facet-lists').addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return
  const facet = target.name as Facet
  const values = state.selected[facet].filter(value => value !== target.value)
  if (target.checked) values.push(target.value)
  change({ ...state, selected: { ...state.selected, [facet]: values }, page: 1 })
})
for (const id of ['from', 'to'] as const) {
  const slider = find<HTMLInputElement>(id)
  slider.max = String(populations.length - 1)
  slider.addEventListener('input', () => {
    const step = Number(slider.value)
    // One end pushes the other, so that the range is never empty.
    const range =
      id === 'from'
        ? { from: Math.min(step, populations.length - 2), to: Math.max(state.to, step + 1) }
        : { from: Math.min(state.from, step - 1), to: Math.max(step, 1) }
    const [from, to] = [Math.max(0, range.from), Math.min(populations.length - 1, range.to)]
    change({ ...state, from, to, page: 1 }, { isTyping: true })
  })
}
for (const [id, step] of [
  ['previous', -1],
  ['next', 1],
] as const)
  find(id).addEventListener('click', () => {
    change({ ...state, page: state.page + step })
    find('world').scrollIntoView()
  })
// Links to other searches are ordinary addresses. Without a modifier key, they need no new page.
find('form')
  .closest('main')
  ?.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    change(readState(link.search))
    scrollTo({ top: 0 })
    box.focus()
  })
addEventListener('popstate', () => show(readState(location.search)))
document.addEventListener('keydown', event => {
  if (event.key !== '/' || event.altKey || event.ctrlKey || event.metaKey || document.activeElement === box)
    return
  event.preventDefault()
  box.select()
})

const results = find('results')
const ringFor = (target: EventTarget | null): void => {
  const card = target instanceof Element ? target.closest('#results > li') : null
  map.ring(card ? cities[[...results.children].indexOf(card)] : undefined)
}
for (const name of ['pointerover', 'focusin'] as const)
  results.addEventListener(name, ({ target }) => ringFor(target))
for (const name of ['pointerleave', 'focusout'] as const) results.addEventListener(name, () => ringFor(null))

find('examples').append(
  ...examples.map(query => make('li', {}, make('a', { href: writeState({ ...emptyState, query }) }, query))),
)
setUpFilters()
box.focus()
show(state)
// The page works without them.
void showServerLinks().catch(() => {})
