/** Writes what a search found into the page, as elements and text: no HTML of a document is ever parsed into the page. */
import { nameDomain } from './domains.ts'
import {
  find,
  formatServerTime,
  keepFocus,
  make,
  parseSnippet,
  pluralize,
  showPages,
  showStatus,
} from './elements.ts'
import type { SearchReply } from './entry-search.ts'
import { hideParts, makeFacet, showFilters, showSuggestion } from './filters.ts'
import {
  type Facet,
  facets,
  pageMax,
  pageSize,
  type SearchState,
  searchFor,
  writeState,
} from './search-state.ts'

const makeSearchLink = (text: string, content: (Node | string)[] = [text]): HTMLAnchorElement =>
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

const nameValue = (facet: Facet, value: string): string =>
  facet === 'domain' ? nameDomain(value) : `${value.slice(0, 1).toUpperCase()}${value.slice(1)}s`

/** The filters in use, each with the search without it. */
const listFilters = (state: SearchState): { name: string; href: string }[] =>
  facets.flatMap(facet =>
    state.selected[facet].map(value => {
      const otherValues = state.selected[facet].filter(other => other !== value)
      const selected = { ...state.selected, [facet]: otherValues }
      return { name: nameValue(facet, value), href: writeState({ ...state, selected, page: 1 }) }
    }),
  )

/** Shows a search. Undefined: there is no text to search for. */
export const showReply = (state: SearchState, reply: SearchReply | undefined): void => {
  const { items = [], total = 0, didYouMean, serverMs } = reply ?? {}
  find('results').replaceChildren(...items.map(makeResult))
  find('results').setAttribute('start', String((state.page - 1) * pageSize + 1))
  find('examples').hidden = reply !== undefined && total > 0
  find('filters').hidden =
    reply === undefined || (total === 0 && facets.every(facet => state.selected[facet].length === 0))
  keepFocus(() =>
    find('facets').replaceChildren(
      ...(reply
        ? facets.map(facet =>
            makeFacet(facet, reply.facets[facet], state.selected[facet], value => nameValue(facet, value)),
          )
        : []),
    ),
  )
  showSuggestion(didYouMean, text => writeState(searchFor(text)))
  keepFocus(() => showPages(state.page, total, pageSize, pageMax))
  showFilters({
    filters: listFilters(state),
    hrefWithoutFilters: writeState(searchFor(state.query)),
    total,
    nouns: ['result', 'results'],
  })
  find('nothing').hidden = reply === undefined || total > 0
  showStatus(
    reply ? `${total === 0 ? 'No results' : pluralize(total, 'result')}${formatServerTime(serverMs)}` : '',
  )
}

export const hideResults = (): void => hideParts('filters')
