/** Writes what a search found into the page, as elements and text: no HTML of a document is ever parsed into the page. */
import type { FacetOption } from '@querent/client'
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

/** Returns the element of index.html with this id. */
export const find = <Kind extends HTMLElement = HTMLElement>(id: string): Kind => {
  const element = document.getElementById(id)
  if (!element) throw new Error(`index.html has no ${id}`)
  // index.html says which kind it is.
  return element as Kind
}

const make = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

const numbers = new Intl.NumberFormat('en')
const pluralize = (count: number, noun: string) => `${numbers.format(count)} ${noun}${count === 1 ? '' : 's'}`

export const makeSearchLink = (text: string, content: (Node | string)[] = [text]): HTMLAnchorElement =>
  make('a', { href: writeState(searchFor(text)) }, ...content)

/** Splits a snippet of `highlight` into text and marks. */
const parseSnippet = (snippet: string): (string | HTMLElement)[] => {
  const { body } = new DOMParser().parseFromString(snippet, 'text/html')
  return [...body.childNodes].map(node =>
    node.nodeName === 'MARK' ? make('mark', {}, node.textContent ?? '') : (node.textContent ?? ''),
  )
}
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
  const facts = [readTexts(partOfSpeech)[0], splitDomain(readTexts(domain)[0] ?? '').name]
  return make(
    'li',
    {},
    make('h2', {}, first),
    make('span', { className: 'facts' }, facts.filter(fact => fact && fact !== 'all').join(' · ')),
    ...(synonyms.length > 0 ? [make('p', { className: 'synonyms' }, 'Also: ', ...synonyms)] : []),
    make('p', {}, ...marked),
    ...readTexts(examples).map(text => make('p', { className: 'example' }, `“${text}”`)),
  )
}

/** WordNet's domains, such as `noun.animal`. */
const splitDomain = (value: string): { group: string; name: string } => {
  const [group = '', name = group] = value.split('.')
  return { group, name }
}

const makeOption = (facet: Facet, { value, count }: FacetOption, isSelected: boolean): HTMLLabelElement => {
  const { group, name } = splitDomain(value)
  const box = make('input', {
    type: 'checkbox',
    name: facet,
    value,
    checked: isSelected,
    id: `${facet}-${value}`,
  })
  const title = facet === 'domain' ? [name, make('small', {}, ` ${group}`)] : [value]
  return make(
    'label',
    {},
    box,
    make('span', {}, ...title),
    make('small', { className: 'count' }, numbers.format(count)),
  )
}

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

/** Runs `change`, and returns the focus to the element with the same id. */
const keepFocus = (change: () => void): void => {
  const id = document.activeElement?.id
  change()
  if (id && document.activeElement?.id !== id) document.getElementById(id)?.focus()
}

const showPages = (page: number, total: number): void => {
  const last = Math.min(Math.ceil(total / pageSize), pageMax)
  find('pages').hidden = last < 2
  find('page').textContent = `Page ${numbers.format(page)} of ${numbers.format(last)}`
  find<HTMLButtonElement>('previous').disabled = page <= 1
  find<HTMLButtonElement>('next').disabled = page >= last
}

const formatMs = (ms: number): string => (ms < 1 ? 'under 1 ms' : `${numbers.format(Math.round(ms))} ms`)

/** Shows a search. Undefined: there is no text to search for. */
export const showReply = (state: SearchState, reply: SearchReply | undefined): void => {
  const { items = [], total = 0, didYouMean, durationMs } = reply ?? {}
  find('results').replaceChildren(...items.map(makeResult))
  find('results').setAttribute('start', String((state.page - 1) * pageSize + 1))
  find('examples').hidden = reply !== undefined
  find('filters').hidden =
    reply === undefined || (total === 0 && facets.every(facet => state.selected[facet].length === 0))
  keepFocus(() =>
    find('facets').replaceChildren(
      ...(reply ? facets.map(facet => makeFacet(facet, reply.facets[facet], state.selected[facet])) : []),
    ),
  )
  find('suggestion').hidden = !didYouMean
  if (didYouMean) find('suggestion').replaceChildren('Did you mean ', makeSearchLink(didYouMean), '?')
  keepFocus(() => showPages(state.page, total))
  showStatus(
    reply
      ? `${total === 0 ? 'No results' : pluralize(total, 'result')}${durationMs === undefined ? '' : ` in ${formatMs(durationMs)}`}`
      : '',
  )
}

export const showStatus = (text: string, { isError = false } = {}): void => {
  const status = find('status')
  status.textContent = text
  status.classList.toggle('error', isError)
}
