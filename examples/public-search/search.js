/** Searches a public API while a person types. Shows results, facets with counts, and pages. */
import { queryApi } from './querent-client.js'

const baseUrl = 'http://127.0.0.1:4000'
const books = queryApi({ baseUrl }, 'bookshop', 'books')
const facets = ['genre', 'century']
const pageSize = 5

const state = { query: '', selected: Object.fromEntries(facets.map(facet => [facet, []])), page: 0 }
const find = id => document.getElementById(id)
/** Creates an element. Text of documents is never HTML. */
const make = (name, properties, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

let running = new AbortController()
const search = async () => {
  running.abort()
  running = new AbortController()
  const { signal } = running
  let query = books.query('search', { query: state.query })
  for (const facet of facets)
    if (state.selected[facet].length > 0) query = query.filter(facet, state.selected[facet])
  const requests = [
    query.request.resultsCount({ count: pageSize, offset: state.page * pageSize, highlight: true }),
    // With multiselect, the other options of a facet keep their counts.
    ...facets.map(facet => query.request.options(facet, { multiselect: true })),
  ]
  try {
    const outcomes = await books.batch(requests, { signal })
    const failure = outcomes.find(({ ok }) => !ok)
    if (failure) throw failure.error
    const [results, ...options] = outcomes.map(({ body }) => body)
    show(results, options)
  } catch (error) {
    if (!signal.aborted) find('status').textContent = error.message
  }
}

const show = ([{ items, didYouMean }, { total }], options) => {
  find('status').replaceChildren(`${total} ${total === 1 ? 'book' : 'books'}`)
  if (didYouMean) {
    const suggest = () => change({ query: didYouMean, page: 0 })
    find('status').append('. Did you mean ', make('button', { onclick: suggest }, didYouMean), '?')
  }
  find('results').start = state.page * pageSize + 1
  find('results').replaceChildren(...items.map(makeResult))
  const focused = document.activeElement.id
  find('facets').replaceChildren(...options.map(makeFacet))
  document.getElementById(focused)?.focus()
  find('previous').disabled = state.page === 0
  find('next').disabled = (state.page + 1) * pageSize >= total
}

/** A snippet is HTML with `<mark>` and nothing else. Takes its text and its marks. */
const readSnippet = snippet =>
  [...new DOMParser().parseFromString(snippet, 'text/html').body.childNodes].map(node =>
    node.nodeName === 'MARK' ? make('mark', {}, node.textContent) : node.textContent,
  )
const makeResult = ({ tuple: [{ attributes }], highlights = {} }) => {
  const text = name => highlights[name]?.flatMap(readSnippet) ?? [attributes[name]]
  return make(
    'li',
    {},
    make('h2', {}, ...text('title')),
    make('p', {}, ...text('author')),
    make('p', {}, ...text('description')),
  )
}

const makeFacet = ({ title, options, selected: chosen }, index) => {
  const facet = facets[index]
  const selected = state.selected[facet]
  // A selected value stays in the list, even without results.
  const withoutResults = chosen.filter(({ value }) => options.every(option => option.value !== value))
  const labels = [...options, ...withoutResults].map(({ value, count }) => {
    const toggle = ({ target }) => {
      const otherValues = selected.filter(other => other !== value)
      change({
        selected: { ...state.selected, [facet]: target.checked ? [...otherValues, value] : otherValues },
        page: 0,
      })
    }
    const checked = selected.includes(value)
    const box = make('input', { type: 'checkbox', id: `${facet}-${value}`, checked, onchange: toggle })
    return make('label', {}, box, ` ${value} (${count})`)
  })
  return make('fieldset', {}, make('legend', {}, title), ...labels)
}

const change = changes => {
  Object.assign(state, changes)
  if (find('query').value !== state.query) find('query').value = state.query
  void search()
}

find('query').oninput = ({ target }) => change({ query: target.value, page: 0 })
find('previous').onclick = () => change({ page: state.page - 1 })
find('next').onclick = () => change({ page: state.page + 1 })
void search()
