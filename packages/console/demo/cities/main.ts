/** The demo's page of cities: pictures, filters, a range, sorts and a map that follow each keystroke. */
import { find, make, showRequest } from '#demo/elements.ts'
import { startSearchPage } from '#demo/search-page.ts'
import { watchImport } from '#demo/watch-import.ts'
import { findPoints, type Point, resultsUrl, runSearch } from './city-search.ts'
import { createMap } from './map.ts'
import { emptyState, type Facet, populations, readState, type Sort, sorts, writeState } from './state.ts'
import { describeMap, hideResults, readCity, showRange, showReply, showSort } from './view.ts'

let cities: Point[] = []
const sortSelect = find<HTMLSelectElement>('sort')
sortSelect.append(...Object.entries(sorts).map(([value, text]) => make('option', { value }, text)))
for (const id of ['from', 'to']) find<HTMLInputElement>(id).max = String(populations.length - 1)

const map = createMap(find<HTMLCanvasElement>('map'), ({ lat, lon, name }) =>
  change({ ...emptyState, center: { lat, lon, name } }),
)

const {
  change,
  search,
  readState: readCurrent,
} = startSearchPage({
  ...{ readState, writeState, hideResults },
  examples: ['san', 'new york', 'capital of peru', 'tokio', 'japan', 'nederland'],
  exampleList: find('examples'),
  searchFor: query => ({ ...emptyState, query }),
  searchLinks: 'main a',
  scrollToPage: () => find('world').scrollIntoView(),
  async search(state, signal) {
    const [reply, points] = await Promise.all([runSearch(state, signal), findPoints(state, signal)])
    return () => {
      showReply(state, reply)
      cities = reply.items.map(readCity)
      map.show(points)
      map.mark(cities)
      describeMap(points, reply.total)
      find('request').hidden = false
      showRequest(resultsUrl(state), reply.body)
    }
  },
  showState(state) {
    showSort(state)
    showRange(state)
  },
})

// The page works without it.
void watchImport({ api: 'cities-page', expected: 24_359, noun: 'cities', search }).catch(() => {})

// The options are these names.
sortSelect.addEventListener('change', () => change({ sort: sortSelect.value as Sort }))
find('facet-lists').addEventListener('change', ({ target }) => {
  if (!(target instanceof HTMLInputElement)) return
  const facet = target.name as Facet
  const { selected } = readCurrent()
  const values = selected[facet].filter(value => value !== target.value)
  if (target.checked) values.push(target.value)
  change({ selected: { ...selected, [facet]: values } })
})
for (const id of ['from', 'to'] as const)
  find<HTMLInputElement>(id).addEventListener('input', ({ currentTarget }) => {
    const step = Number((currentTarget as HTMLInputElement).value)
    const state = readCurrent()
    // One end pushes the other, so that the range is never empty.
    const range =
      id === 'from'
        ? { from: Math.min(step, populations.length - 2), to: Math.max(state.to, step + 1) }
        : { from: Math.min(state.from, step - 1), to: Math.max(step, 1) }
    const [from, to] = [Math.max(0, range.from), Math.min(populations.length - 1, range.to)]
    change({ from, to }, { isTyping: true })
  })

const results = find('results')
const ringFor = (target: EventTarget | null): void => {
  const card = target instanceof Element ? target.closest('#results > li') : null
  map.ring(card ? cities[[...results.children].indexOf(card)] : undefined)
}
for (const name of ['pointerover', 'focusin'] as const)
  results.addEventListener(name, ({ target }) => ringFor(target))
for (const name of ['pointerleave', 'focusout'] as const) results.addEventListener(name, () => ringFor(null))
