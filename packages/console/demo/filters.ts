/** The lists of filters of both pages of the demo, the filters in use, and what a page says without results. */
import type { FacetOption } from '@querent/client'
import { find, make, numbers, pluralize } from './elements.ts'

interface FacetList {
  title: string
  selected: readonly FacetOption[]
  options: readonly FacetOption[]
}

/** A list of checkboxes, whose name is that of the facet. `values`: those that are checked. */
export const makeFacet = (
  facet: string,
  { title, selected, options }: FacetList,
  values: readonly string[],
  nameValue: (value: string) => string = value => value,
): HTMLFieldSetElement => {
  const listed = new Set(options.map(({ value }) => value))
  const everyOption = [...selected.filter(({ value }) => !listed.has(value)), ...options]
  const makeOption = ({ value, count }: FacetOption) => {
    const checked = values.includes(value)
    return make(
      'label',
      {},
      make('input', { type: 'checkbox', name: facet, value, checked, id: `${facet}-${value}` }),
      make('span', {}, nameValue(value)),
      make('small', { className: 'count' }, numbers.format(count)),
    )
  }
  return make(
    'fieldset',
    { hidden: everyOption.length === 0 },
    make('legend', {}, title),
    ...everyOption.map(makeOption),
  )
}

interface FiltersInUse {
  /** The search without one of its filters, by the name of the filter. */
  filters: readonly { name: string; href: string }[]
  hrefWithoutFilters: string
  /** Number of results, and what they are called. */
  total: number
  nouns: readonly [one: string, several: string]
}

/** Shows the filters in use as links that remove one each. */
export const showFilters = ({ filters, hrefWithoutFilters, total, nouns }: FiltersInUse): void => {
  find('chips').hidden = filters.length === 0
  find('chips').replaceChildren(
    ...filters.map(({ name, href }) =>
      make('li', {}, make('a', { href, ariaLabel: `Remove the filter ${name}` }, `${name} ×`)),
    ),
  )
  find('filters-title').textContent = filters.length === 0 ? 'Filters' : `Filters (${filters.length})`
  find('close-filters').textContent = total === 0 ? 'Close' : `Show ${pluralize(total, ...nouns)}`
  find('without-filters').hidden = filters.length === 0
  const link = make('a', { href: hrefWithoutFilters }, 'Search without the filters.')
  find('without-filters').replaceChildren(link)
}

/** Offers another text, if the service has one. */
export const showSuggestion = (
  text: string | null | undefined,
  writeHref: (text: string) => string,
): void => {
  find('suggestion').hidden = !text
  if (text)
    find('suggestion').replaceChildren('Did you mean ', make('a', { href: writeHref(text) }, text), '?')
}

/** Hides what belongs to an earlier search, and the elements with these ids. */
export const hideParts = (...ids: string[]): void => {
  for (const id of ['suggestion', 'pages', 'nothing', 'chips', 'request', ...ids]) find(id).hidden = true
  find('results').replaceChildren()
}
