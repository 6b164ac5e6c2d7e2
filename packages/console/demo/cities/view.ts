/** Writes what a search found into the page of cities, as elements and text. */
import {
  find,
  formatServerTime,
  keepFocus,
  make,
  numbers,
  parseSnippet,
  pluralize,
  showPages,
  showStatus,
} from '#demo/elements.ts'
import { hideParts, makeFacet, showFilters, showSuggestion } from '#demo/filters.ts'
import { type CityReply, type Point, pointsMax, readPoint } from './city-search.ts'
import {
  type CityState,
  emptyState,
  facets,
  listFilters,
  namePopulation,
  pageMax,
  pageSize,
  withoutFilters,
  writeState,
} from './state.ts'

/** Each flag is a file beside the page, so that nothing is loaded from elsewhere. */
const flags = import.meta.glob<string>('../flags/*.svg', { query: '?url', import: 'default', eager: true })

type Item = CityReply['items'][number]

export const readCity = ({ tuple: [city] }: Item): Point => readPoint(city?.attributes ?? {})

const makeCard = (item: Item): HTMLLIElement => {
  const attributes = item.tuple[0]?.attributes ?? {}
  const { name, population, lat, lon } = readPoint(attributes)
  const code = String(attributes.code)
  const region = attributes.region ? `${attributes.region}, ` : ''
  const [snippet] = [item.highlights?.name ?? []].flat()
  const title = snippet === undefined ? [name] : parseSnippet(snippet)
  const center = { lat, lon, name }
  const href = writeState({ ...emptyState, center })
  const role =
    attributes.role === 'Other' ? [] : [make('span', { className: 'role' }, String(attributes.role))]
  return make(
    'li',
    {},
    make('img', {
      src: flags[`../flags/${code.toLowerCase()}.svg`] ?? '',
      alt: `Flag of ${attributes.country}`,
      loading: 'lazy',
      width: 90,
      height: 60,
    }),
    make(
      'div',
      {},
      make('h2', {}, ...title),
      make('p', { className: 'facts' }, `${region}${attributes.country}`),
      make('p', {}, pluralize(population, 'person', 'people')),
      ...role,
    ),
    make('a', { href, ariaLabel: `Nearby ${name}` }, 'Nearby'),
  )
}

/** A bar for each class of population. The CSS of the page can't be inline, so the height is that of an SVG. */
const showBars = ({ from, to }: CityState, sizes: readonly number[]): void => {
  const namespace = 'http://www.w3.org/2000/svg'
  const drawing = document.createElementNS(namespace, 'svg')
  drawing.setAttribute('viewBox', `0 0 ${sizes.length * 10} 40`)
  drawing.setAttribute('preserveAspectRatio', 'none')
  const largest = Math.max(1, ...sizes)
  for (const [at, count] of sizes.entries()) {
    // Few large cities among many small ones stay visible.
    const height = count === 0 ? 0 : Math.max(1.5, 40 * Math.sqrt(count / largest))
    const bar = document.createElementNS(namespace, 'rect')
    const shape = { x: at * 10 + 0.5, y: 40 - height, width: 9, height }
    for (const [name, value] of Object.entries(shape)) bar.setAttribute(name, String(value))
    if (at >= from && at < to) bar.classList.add('kept')
    drawing.append(bar)
  }
  find('bars').replaceChildren(drawing)
}

export const showRange = ({ from, to }: CityState): void => {
  for (const [id, step] of Object.entries({ from, to })) {
    const slider = find<HTMLInputElement>(id)
    slider.value = String(step)
    const text = namePopulation(step)
    slider.setAttribute('aria-valuetext', text)
    find(`${id}-text`).textContent = text
  }
}

/** Without a text, nothing matches better than others: the largest come first. */
export const showSort = ({ query, center, sort }: CityState): void => {
  const select = find<HTMLSelectElement>('sort')
  const ranksNothing = query.trim() === '' && center === undefined
  const best = select.querySelector<HTMLOptionElement>('[value=best]')
  if (best) best.hidden = ranksNothing
  select.value = ranksNothing && sort === 'best' ? 'largest' : sort
}

export const showReply = (state: CityState, reply: CityReply): void => {
  const { items, total, didYouMean, serverMs } = reply
  find('results').replaceChildren(...items.map(makeCard))
  find('results').setAttribute('start', String((state.page - 1) * pageSize + 1))
  keepFocus(() =>
    find('facet-lists').replaceChildren(
      ...reply.facets.map((list, at) => {
        const facet = facets[at] ?? 'country'
        return makeFacet(facet, list, state.selected[facet])
      }),
    ),
  )
  showBars(state, reply.sizes)
  showRange(state)
  showSuggestion(didYouMean, query => writeState({ ...state, query, page: 1 }))
  keepFocus(() => showPages(state.page, total, pageSize, pageMax))
  showFilters({
    filters: listFilters(state).map(({ name, without }) => ({ name, href: writeState(without) })),
    hrefWithoutFilters: writeState(withoutFilters(state)),
    total,
    nouns: ['city', 'cities'],
  })
  find('nothing').hidden = total > 0
  const summary = total === 0 ? 'No city' : pluralize(total, 'city', 'cities')
  showStatus(`${summary}${formatServerTime(serverMs)}`)
}

/** Says in words what the map shows. */
export const describeMap = (points: readonly Point[], total: number): void => {
  const beginning =
    total > pointsMax ? `The first ${numbers.format(pointsMax)} of ${numbers.format(total)} cities` : ''
  find('map-text').textContent = beginning || `${pluralize(total, 'city', 'cities')}`
  const [first] = points
  find('map').ariaLabel = first
    ? `Map of ${pluralize(points.length, 'city', 'cities')}, first ${first.name}`
    : 'Map without cities'
}

export const hideResults = (): void => hideParts()
