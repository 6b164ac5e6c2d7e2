/** Writes what a search found into the page, as elements and text: no HTML of a document is ever parsed into the page. */
import type { FacetOption } from '@querent/client'
import { nameDomain } from './domains.ts'
import {
  find,
  formatMs,
  keepFocus,
  make,
  numbers,
  parseSnippet,
  pluralize,
  showPages,
  showStatus,
} from './elements.ts'
import type { SearchReply } from './entry-search.ts'
import {
  type Facet,
  facets,
  pageMax,
  pageSize,
  type SearchState,
  searchFor,
  writeState,
} from './search-state.ts'

export const makeSearchLink = (text: string, content: (Node | string)[] = [text]): HTMLAnchorElement =>
  make('a', { href: writeState(searchFor(text)) }, ...content)

const readText = (part: string | HTMLElement): string =>
  typeof part === 'string' ? part : (part.textContent ?? '')

/** Marks the words found in a text that one of the snippets comes from. */
const markText = (text: string, snippets: readonly string[] = []): (string | HTMLElement)[] => {
  for (const snippet of snippets) {
    const parts = parseSnippet(snippet)
    const snippetText = parts.map(readText).join('')
    const start = text.indexOf(snippetText)
    if (start >= 0 && snippetText !== '')
      return [text.slice(0, start), ...parts, text.slice(start + snippetText.length)]
  }
  return [text]
}

const readTexts = (value: unknown): string[] => [value ?? []].flat().map(String)

const makeResult = ({ tuple, highlights = {} }: SearchReply['items'][number]): HTMLLIElement => {
  const { words, definition, examples, partOfSpeech, domain } = tuple[0]?.attributes ?? {}
  const [first = '', ...others] = readTexts(words).map(word =>
    makeSearchLink(word, markText(word, highlights.words)),
  )
  const synonyms = others.flatMap(link => [', ', link]).slice(1)
  const marked = readTexts(definition).flatMap(text => markText(text, highlights.definition))
  const [part = ''] = readTexts(partOfSpeech)
  const area = nameDomain(readTexts(domain)[0] ?? '')
  // An adverb is one of the adverbs.
  const facts = area.toLowerCase().startsWith(part) ? [area.replace(/^.*: /, `${part} · `)] : [part, area]
  return make(
    'li',
    {},
    make('h2', {}, first),
    make('span', { className: 'facts' }, facts.join(' · ').toLowerCase()),
    ...(synonyms.length > 0 ? [make('p', { className: 'synonyms' }, 'Also: ', ...synonyms)] : []),
    make('p', {}, ...marked),
    ...readTexts(examples).map(text => make('p', { className: 'example' }, `“${text}”`)),
  )
}

const makeOption = (facet: Facet, { value, count }: FacetOption, isSelected: boolean): HTMLLabelElement => {
  const box = make('input', {
    type: 'checkbox',
    name: facet,
    value,
    checked: isSelected,
    id: `${facet}-${value}`,
  })
  return make(
    'label',
    {},
    box,
    make('span', {}, nameValue(facet, value)),
    make('small', { className: 'count' }, numbers.format(count)),
  )
}

const nameValue = (facet: Facet, value: string): string =>
  facet === 'domain' ? nameDomain(value) : `${value.slice(0, 1).toUpperCase()}${value.slice(1)}s`

/** Links that remove one filter each. */
const makeChips = (state: SearchState): HTMLLIElement[] =>
  facets.flatMap(facet =>
    state.selected[facet].map(value => {
      const selected = {
        ...state.selected,
        [facet]: state.selected[facet].filter(other => other !== value),
      }
      const href = writeState({ ...state, selected, page: 1 })
      const name = nameValue(facet, value)
      return make('li', {}, make('a', { href, ariaLabel: `Remove the filter ${name}` }, `${name} ×`))
    }),
  )

const makeFacet = (
  facet: Facet,
  { title, selected, options }: SearchReply['facets'][Facet],
  values: string[],
) => {
  const listed = new Set(options.map(({ value }) => value))
  const everyOption = [...selected.filter(({ value }) => !listed.has(value)), ...options]
  return make(
    'fieldset',
    {},
    make('legend', {}, title),
    ...everyOption.map(option => makeOption(facet, option, values.includes(option.value))),
  )
}

/** Shows a search. Undefined: there is no text to search for. */
export const showReply = (state: SearchState, reply: SearchReply | undefined): void => {
  const { items = [], total = 0, didYouMean, durationMs } = reply ?? {}
  find('results').replaceChildren(...items.map(makeResult))
  find('results').setAttribute('start', String((state.page - 1) * pageSize + 1))
  find('examples').hidden = reply !== undefined && total > 0
  find('filters').hidden =
    reply === undefined || (total === 0 && facets.every(facet => state.selected[facet].length === 0))
  keepFocus(() =>
    find('facets').replaceChildren(
      ...(reply ? facets.map(facet => makeFacet(facet, reply.facets[facet], state.selected[facet])) : []),
    ),
  )
  find('suggestion').hidden = !didYouMean
  if (didYouMean) find('suggestion').replaceChildren('Did you mean ', makeSearchLink(didYouMean), '?')
  keepFocus(() => showPages(state.page, total, pageSize, pageMax))
  showFilters(state, total)
  find('nothing').hidden = reply === undefined || total > 0
  showStatus(
    reply
      ? `${total === 0 ? 'No results' : pluralize(total, 'result')}${durationMs === undefined ? '' : ` in ${formatMs(durationMs)}`}`
      : '',
  )
}

const showFilters = (state: SearchState, total: number): void => {
  const chips = makeChips(state)
  find('chips').hidden = chips.length === 0
  find('chips').replaceChildren(...chips)
  find('filters-title').textContent = chips.length === 0 ? 'Filters' : `Filters (${chips.length})`
  find('close-filters').textContent = total === 0 ? 'Close' : `Show ${pluralize(total, 'result')}`
  find('without-filters').hidden = chips.length === 0
  const link = make('a', { href: writeState(searchFor(state.query)) }, 'Search without the filters.')
  find('without-filters').replaceChildren(link)
}

/** The service cannot be reached: results of an earlier text would look like those of this one. */
export const hideResults = (): void => {
  for (const id of ['filters', 'suggestion', 'pages', 'nothing', 'chips', 'request']) find(id).hidden = true
  find('results').replaceChildren()
}
