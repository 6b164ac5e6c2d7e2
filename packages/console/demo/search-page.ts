/** The frame of both pages of the demo: a search that follows each keystroke, in an address that people share, reload and go back to. */
import { ApiError } from '@querent/client'
import { find, make, setUpFilters, showServerLinks, showStatus } from './elements.ts'

interface SearchPage<State> {
  readState: (search: string) => State
  writeState: (state: State) => string
  /** Texts to begin with, which the list receives as links. */
  examples: readonly string[]
  exampleList: HTMLElement
  /** A first page for a text, without filters. */
  searchFor: (text: string) => State
  /** Searches for a state. Returns what shows the reply, which is not called after a later search has begun. */
  search: (state: State, signal: AbortSignal) => Promise<() => void>
  /** Shows a state in parts of the form besides the text. */
  showState?: (state: State) => void
  /** Hides results of an earlier text, which would look like those of this one. */
  hideResults: () => void
  /** Selects the links that are other searches of this page. */
  searchLinks: string
  /** Shows the beginning of another page of results. */
  scrollToPage: () => void
}

/** How often an unreachable service is tried again. */
const retryMs = 3000

/** Starts the page, and returns how its own controls read and change the search. */
export const startSearchPage = <State extends { query: string; page: number }>(page: SearchPage<State>) => {
  const { readState, writeState, scrollToPage } = page
  const box = find<HTMLInputElement>('query')
  let state = readState(location.search)
  let running = new AbortController()
  let retry: ReturnType<typeof setTimeout> | undefined

  /** Searches for the current state. A later search cancels this one. */
  const search = async (): Promise<void> => {
    running.abort()
    running = new AbortController()
    clearTimeout(retry)
    const { signal } = running
    try {
      const show = await page.search(state, signal)
      if (!signal.aborted) show()
    } catch (error) {
      if (signal.aborted) return
      page.hideResults()
      if (error instanceof ApiError) return showStatus(error.message, { isError: true })
      showStatus('No connection to the search. It goes on when the connection is back.', { isError: true })
      retry = setTimeout(() => void search(), retryMs)
    }
  }

  /** Shows a state in the form, and searches for it. */
  const show = (next: State): void => {
    state = next
    if (box.value !== state.query) box.value = state.query
    page.showState?.(state)
    void search()
  }

  /** Goes to a state. While a person types or slides, the address changes without a new entry in the history. */
  const change = (changes: Partial<State>, { isTyping = false } = {}): void => {
    const next = { ...state, page: 1, ...changes }
    history[isTyping ? 'replaceState' : 'pushState'](null, '', writeState(next))
    show(next)
  }
  const goTo = (text: string): void => change(readState(text))

  addEventListener('online', () => void search())
  addEventListener('popstate', () => show(readState(location.search)))
  // Each keystroke has searched already.
  find('form').addEventListener('submit', event => event.preventDefault())
  const typed = (): Partial<State> => ({ query: box.value }) as Partial<State>
  box.addEventListener('input', () => change(typed(), { isTyping: true }))
  for (const [id, step] of Object.entries({ previous: -1, next: 1 }))
    find(id).addEventListener('click', () => {
      change({ page: state.page + step } as Partial<State>)
      scrollToPage()
    })
  // Links to other searches are ordinary addresses. Without a modifier key, they need no new page.
  document.addEventListener('click', event => {
    const link = event.target instanceof Element ? event.target.closest(page.searchLinks) : null
    if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    goTo(link.search)
    scrollTo({ top: 0 })
    box.focus()
  })
  document.addEventListener('keydown', event => {
    const { key, altKey, ctrlKey, metaKey } = event
    if (key !== '/' || altKey || ctrlKey || metaKey || document.activeElement === box) return
    event.preventDefault()
    box.select()
  })
  page.exampleList.append(
    ...page.examples.map(text => make('li', {}, make('a', { href: writeState(page.searchFor(text)) }, text))),
  )
  setUpFilters()
  box.focus()
  show(state)
  // The page works without them.
  void showServerLinks().catch(() => {})
  return { change, search, readState: () => state }
}
