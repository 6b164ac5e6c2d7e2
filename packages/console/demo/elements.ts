/** Parts of both pages of the demo: elements, numbers, and links to the server. */

/** Returns the element of the page with this id. */
export const find = <Kind extends HTMLElement = HTMLElement>(id: string): Kind => {
  const element = document.getElementById(id)
  if (!element) throw new Error(`the page has no ${id}`)
  // The page says which kind it is.
  return element as Kind
}

export const make = <Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  properties: Partial<HTMLElementTagNameMap[Name]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Name] => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

export const numbers = new Intl.NumberFormat('en')

/** Writes "1 result", "2,400 results". */
export const pluralize = (count: number, noun: string, plural = `${noun}s`): string =>
  `${numbers.format(count)} ${count === 1 ? noun : plural}`

/** Writes ` in 3 ms`, or nothing if the time is unknown. */
export const formatServerTime = (ms: number | undefined): string => {
  if (ms === undefined) return ''
  return ms < 1 ? ' in under 1 ms' : ` in ${numbers.format(ms)} ms`
}

/** Splits a snippet of `highlight` into text and marks. */
export const parseSnippet = (snippet: string): (string | HTMLElement)[] => {
  const { body } = new DOMParser().parseFromString(snippet, 'text/html')
  return [...body.childNodes].map(node =>
    node.nodeName === 'MARK' ? make('mark', {}, node.textContent ?? '') : (node.textContent ?? ''),
  )
}

/** Runs `change`, and returns the focus to the element with the same id. */
export const keepFocus = (change: () => void): void => {
  const id = document.activeElement?.id
  change()
  if (id && document.activeElement?.id !== id) document.getElementById(id)?.focus()
}

export const showStatus = (text: string, { isError = false } = {}): void => {
  const status = find('status')
  status.textContent = text
  status.classList.toggle('error', isError)
}

/** Shows the buttons of the pages, of which `pageMax` can be reached. */
export const showPages = (page: number, total: number, pageSize: number, pageMax: number): void => {
  const last = Math.min(Math.ceil(total / pageSize), pageMax)
  find('pages').hidden = last < 2
  find('page').textContent = `Page ${numbers.format(page)} of ${numbers.format(last)}`
  find<HTMLButtonElement>('previous').disabled = page <= 1
  find<HTMLButtonElement>('next').disabled = page >= last
}

/** Shows the request and the beginning of its reply, which has all fields of the first result. */
export const showRequest = (
  url: string,
  [results, total]: readonly [{ items: readonly unknown[] }, object],
): void => {
  const { pathname, search } = new URL(url)
  find('request-url').textContent = `GET ${decodeURI(pathname)}${search}`
  find<HTMLAnchorElement>('request-link').href = url
  const beginning = { ...results, items: results.items.slice(0, 1), ...total }
  find('request-reply').textContent = JSON.stringify(beginning, null, 2)
}

const wide = matchMedia('(min-width: 48rem)')

/** On wide screens the filters are next to the results, on others a sheet over them. */
export const setUpFilters = (): void => {
  const filters = find('filters')
  const openFilters = () => void filters.toggleAttribute('open', wide.matches)
  find('close-filters').addEventListener('click', () => {
    filters.removeAttribute('open')
    find('filters-title').focus()
  })
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape' && !wide.matches) filters.removeAttribute('open')
  })
  wide.addEventListener('change', openFilters)
  openFilters()
}

/** Adds links to the console and its documentation. The page works without them. */
export const showServerLinks = async (): Promise<void> => {
  const reply = await fetch('/.well-known/oauth-protected-resource')
  const metadata: unknown = await reply.json()
  const servers = Object(metadata).authorization_servers
  if (!Array.isArray(servers)) return
  const authUrl = String(servers[0]).replace(/\/$/, '')
  const links = { Tutorial: 'docs/tutorial.html', Docs: 'docs/', Console: '' }
  for (const [text, path] of Object.entries(links))
    find('links').append(make('a', { href: `${authUrl}/console/${path}` }, text))
}
