/**
 * The search of the documentation that a server serves: asks the server's own collection of it for each letter typed
 * (packages/server/src/documentation). The site for another server has the search of VitePress instead (config.ts).
 */
import { useRouter } from 'vitepress'
import { defineComponent, h, onBeforeUnmount, onMounted, ref, shallowRef, type VNode, watch } from 'vue'

interface DocsResult {
  page: string
  title: string
  address: string
  /** HTML, with the matches in `<mark>`. */
  snippet: string
}

/** The server accepts as many. */
const textCharactersMax = 100
/** After the last key, so that a fast typist sends fewer requests. */
const delayMs = 80
const listId = 'docs-search-results'

/** Throws if the server does not answer, or answers with an error. */
const fetchResults = async (text: string, signal: AbortSignal): Promise<DocsResult[]> => {
  const reply = await fetch(`${import.meta.env.BASE_URL}search?q=${encodeURIComponent(text)}`, { signal })
  if (!reply.ok) throw new Error(`search: ${reply.status}`)
  // The server of this site wrote it (packages/server/src/documentation/register.ts).
  return ((await reply.json()) as { results: DocsResult[] }).results
}

/** Sends each text after a pause, and keeps the earlier results until the next ones are there. */
const useResults = () => {
  const text = ref('')
  const results = shallowRef<DocsResult[]>([])
  const state = ref<'empty' | 'loading' | 'found' | 'failed'>('empty')
  watch(text, (typed, _, onCleanup) => {
    const aborting = new AbortController()
    const timer = setTimeout(async () => {
      try {
        results.value = await fetchResults(typed.trim(), aborting.signal)
        state.value = typed.trim() === '' ? 'empty' : 'found'
      } catch {
        if (!aborting.signal.aborted) state.value = 'failed'
      }
    }, delayMs)
    state.value = 'loading'
    onCleanup(() => {
      clearTimeout(timer)
      aborting.abort()
    })
  })
  // The server prepares its index at the first request.
  const prepare = () => void fetchResults('', AbortSignal.timeout(10_000)).catch(() => {})
  return { text, results, state, prepare }
}

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName))

/** The dialog: what is typed, found and selected, and what keys do. */
const useSearch = () => {
  const router = useRouter()
  const dialog = ref<HTMLDialogElement>()
  const { text, results, state, prepare } = useResults()
  const selected = ref(0)
  watch(results, () => {
    selected.value = 0
  })
  const open = () => {
    if (dialog.value?.open !== false) return
    dialog.value.showModal()
    dialog.value.querySelector('input')?.select()
    prepare()
  }
  const close = () => dialog.value?.close()
  const follow = ({ address }: DocsResult) => {
    close()
    void router.go(address)
  }
  const onPageKey = (event: KeyboardEvent) => {
    const isShortcut =
      event.key === '/' ? !isTyping(event) : event.key === 'k' && (event.ctrlKey || event.metaKey)
    if (!isShortcut) return
    event.preventDefault()
    open()
  }
  onMounted(() => window.addEventListener('keydown', onPageKey))
  onBeforeUnmount(() => window.removeEventListener('keydown', onPageKey))

  const onInputKey = (event: KeyboardEvent) => {
    const { length } = results.value
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const result = results.value[selected.value]
    if (step !== undefined && length > 0) selected.value = (selected.value + step + length) % length
    else if (event.key === 'Enter' && !event.isComposing && result) follow(result)
    else return
    event.preventDefault()
    document.getElementById(`${listId}-${selected.value}`)?.scrollIntoView({ block: 'nearest' })
  }
  return { dialog, text, results, state, selected, open, close, follow, onInputKey }
}
type Search = ReturnType<typeof useSearch>

export default defineComponent({
  name: 'DocsSearch',
  setup() {
    const search = useSearch()
    return () => h('div', { class: 'docs-search' }, [renderButton(search), renderDialog(search)])
  },
})

const searchIcon = (): VNode => h('span', { class: 'vpi-search', 'aria-hidden': 'true' })

const renderButton = ({ open }: Search): VNode =>
  h(
    'button',
    {
      type: 'button',
      class: 'docs-search-button',
      'aria-label': 'Search',
      'aria-keyshortcuts': '/',
      onClick: open,
    },
    [searchIcon(), h('span', { class: 'docs-search-label' }, 'Search')],
  )

const renderDialog = (search: Search): VNode => {
  const { dialog, results, close } = search
  const onClick = ({ target }: MouseEvent) => target === dialog.value && close()
  return h('dialog', { ref: dialog, class: 'docs-search-dialog', 'aria-label': 'Search', onClick }, [
    h('div', { class: 'docs-search-panel' }, [
      h('div', { class: 'docs-search-bar' }, [
        searchIcon(),
        renderInput(search),
        h('button', { type: 'button', onClick: close }, 'Close'),
      ]),
      h('p', { class: 'docs-search-state', role: 'status' }, describeState(search)),
      h(
        'div',
        { id: listId, role: 'listbox', 'aria-label': 'Results' },
        results.value.map((result, index) => renderResult(search, result, index)),
      ),
    ]),
  ])
}

const renderInput = ({ text, results, selected, onInputKey }: Search): VNode =>
  h('input', {
    type: 'search',
    role: 'combobox',
    value: text.value,
    placeholder: 'Search the documentation',
    maxlength: textCharactersMax,
    autocomplete: 'off',
    spellcheck: 'false',
    'aria-label': 'Search the documentation',
    'aria-autocomplete': 'list',
    'aria-expanded': results.value.length > 0,
    'aria-controls': listId,
    ...(results.value.length > 0 && { 'aria-activedescendant': `${listId}-${selected.value}` }),
    onInput: ({ target }: Event) => {
      if (target instanceof HTMLInputElement) text.value = target.value
    },
    onKeydown: onInputKey,
  })

const describeState = ({ text, results, state }: Search): string => {
  if (state.value === 'failed') return 'The server does not answer. Type again to try again.'
  if (state.value === 'found' && results.value.length === 0)
    return `Nothing found for “${text.value.trim()}”.`
  return state.value === 'empty' ? 'Type a few words, such as: add synonyms' : ''
}

const renderResult = ({ selected, follow }: Search, result: DocsResult, index: number): VNode => {
  const { page, title, address, snippet } = result
  const onMousemove = () => {
    selected.value = index
  }
  const onClick = (event: MouseEvent) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    event.stopPropagation()
    follow(result)
  }
  const id = `${listId}-${index}`
  const isSelected = index === selected.value
  const option = {
    key: address,
    id,
    role: 'option',
    'aria-selected': isSelected,
    tabindex: -1,
    href: address,
  }
  return h('a', { ...option, onMousemove, onClick }, [
    h('span', { class: 'docs-search-title' }, title === page ? page : [`${page} › `, h('strong', title)]),
    // The server escapes the text of the page.
    snippet === '' ? undefined : h('span', { class: 'docs-search-snippet', innerHTML: snippet }),
  ])
}
