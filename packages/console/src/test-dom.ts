/**
 * For tests: runs the console's sources in Node.js. Importing this file loads `.tsx` with esbuild and a style sheet as nothing, and makes
 * the globals of a window (happy-dom) for the process. Node's own globals stay as they are, because a server may run in the same process.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'esbuild'
import { type HTMLInputElement, type HTMLLabelElement, Window } from 'happy-dom'

const transform = (path: string): string =>
  transformSync(readFileSync(path, 'utf8'), {
    loader: 'tsx',
    jsx: 'automatic',
    target: 'node22',
    sourcefile: path,
    sourcemap: 'inline',
  }).code

registerHooks({
  resolve(specifier, context, nextResolve) {
    if (specifier.endsWith('.css') && context.parentURL?.includes('/packages/console/src/'))
      return { url: 'data:text/javascript,', format: 'module', shortCircuit: true }
    // The router has a part of its own for servers.
    const conditions = [...context.conditions, 'browser']
    return specifier.startsWith('@tanstack/')
      ? nextResolve(specifier, { ...context, conditions: conditions.filter(name => name !== 'node') })
      : nextResolve(specifier, context)
  },
  load(url, context, nextLoad) {
    if (!url.endsWith('.tsx')) return nextLoad(url, context)
    return { format: 'module', source: transform(fileURLToPath(url)), shortCircuit: true }
  },
})

// As users get it. React's development build takes half of the processor time of a page; its warnings are read where a test asks for it.
process.env.NODE_ENV ??= 'production'

export const window = new Window({
  url: 'http://127.0.0.1/console/',
  width: 1280,
  height: 800,
  settings: {
    device: { prefersReducedMotion: 'reduce' },
    navigation: { disableMainFrameNavigation: true, disableFallbackToSetURL: true },
  },
})

/** The effects of a page outside of its document. A test replaces these. */
export const hooks = {
  /** Sends the requests of the console's sources. */
  fetch: (input: string | URL | Request, init?: RequestInit): Promise<Response> => fetch(input, init),
  /** Opens an address in this tab. */
  navigate: (address: string): void => {
    throw new Error(`the page left for ${address}`)
  },
  /** Saves a file. */
  download: (_name: string, _content: Blob): void => {},
}

const navigate = (address: unknown) => hooks.navigate(new URL(String(address), window.location.href).href)
const actions: Record<string, unknown> = {
  replace: navigate,
  assign: navigate,
  reload: () => hooks.navigate(window.location.href),
}
const location = new Proxy(window.location, {
  get(target, name) {
    const value: unknown = actions[String(name)] ?? Reflect.get(target, name, target)
    return typeof value === 'function' && !(String(name) in actions) ? value.bind(target) : value
  },
  set(target, name, value) {
    if (name !== 'href') return Reflect.set(target, name, value, target)
    navigate(value)
    return true
  },
})
Object.defineProperty(window, 'location', { value: location, configurable: true })
Object.defineProperty(window.HTMLFormElement.prototype, 'submit', {
  value(this: { action: string }) {
    navigate(this.action)
  },
})

/** The labels of a control. happy-dom would search the document for each one, which took 6 % of the processor time of a page's tests. */
const labels = {
  get(this: HTMLInputElement): HTMLLabelElement[] {
    const labelsOfPage = [...this.ownerDocument.getElementsByTagName('label')]
    return labelsOfPage.filter(label =>
      label.htmlFor === '' ? label.contains(this) : label.htmlFor === this.id,
    )
  },
  configurable: true,
}
for (const Control of [
  window.HTMLInputElement,
  window.HTMLSelectElement,
  window.HTMLTextAreaElement,
  window.HTMLButtonElement,
])
  Object.defineProperty(Control.prototype, 'labels', labels)

/** Node has these too, but those of the document are needed. Its files stay: requests of Node send no others. */
const replaced = new Set([
  'navigator',
  'Event',
  'CustomEvent',
  'EventTarget',
  'localStorage',
  'sessionStorage',
])
const isClass = (value: unknown) => typeof value === 'function' && /^[A-Z]/.test(value.name)
for (const name of Object.getOwnPropertyNames(window)) {
  if (name in globalThis && !replaced.has(name)) continue
  const value: unknown = Reflect.get(window, name)
  Object.defineProperty(globalThis, name, {
    value: typeof value === 'function' && !isClass(value) ? value.bind(window) : value,
    configurable: true,
    writable: true,
  })
}
// The document's methods, which happy-dom has on the prototype of the window.
for (const name of [
  'getComputedStyle',
  'matchMedia',
  'scrollTo',
  'addEventListener',
  'removeEventListener',
  'dispatchEvent',
  'getSelection',
  'open',
] as const) {
  const method: unknown = Reflect.get(window, name)
  if (typeof method === 'function')
    Object.defineProperty(globalThis, name, {
      value: method.bind(window),
      configurable: true,
      writable: true,
    })
}
/** At the pace of a screen: happy-dom's own, as fast as it can, would leave no time for anything else while something is animated. */
const animationFrames = {
  requestAnimationFrame: (callback: (time: number) => void) =>
    setTimeout(() => callback(performance.now()), 16).unref(),
  cancelAnimationFrame: (frame: NodeJS.Timeout) => clearTimeout(frame),
}
Object.assign(window, animationFrames)
Object.assign(globalThis, {
  ...animationFrames,
  window,
  location,
  browserFetch: (input: string | URL | Request, init?: RequestInit) =>
    hooks.fetch(typeof input === 'string' ? new URL(input, location.href) : input, init),
})
for (const name of ['localStorage', 'sessionStorage'] as const)
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true })

/** Does not keep the process alive, as Node's does. */
class TestBroadcastChannel extends BroadcastChannel {
  constructor(name: string) {
    super(name)
    // Only Node's has it.
    const { unref }: { unref?: () => void } = Object(this)
    unref?.call(this)
  }
}
globalThis.BroadcastChannel = TestBroadcastChannel

// Layout does not happen here: fonts never load, and everything has the same place, so that no menu counts as scrolled away.
Object.defineProperty(window.document, 'fonts', { value: new EventTarget(), configurable: true })
window.Element.prototype.getBoundingClientRect = () => new window.DOMRect(10, 10, 100, 20)
for (const [name, value] of Object.entries({ clientWidth: 1280, clientHeight: 800 }))
  Object.defineProperty(window.document.documentElement, name, { value, configurable: true })

const pieceBytes = 64 * 1024

/** Uploads over Node's `fetch`, and says how much is sent. */
class TestXMLHttpRequest {
  status = 0
  responseText = ''
  readonly upload: { onprogress?: (event: { loaded: number }) => void } = {}
  onload?: () => void
  onerror?: () => void
  onabort?: () => void
  readonly #headers: Record<string, string> = {}
  readonly #abort = new AbortController()
  #method = 'GET'
  #url = ''
  open(method: string, url: string): void {
    this.#method = method
    this.#url = url
  }
  setRequestHeader(name: string, value: string): void {
    this.#headers[name] = value
  }
  abort(): void {
    this.#abort.abort()
    this.onabort?.()
  }
  send(file: Blob): void {
    const { signal } = this.#abort
    void this.#exchange(file).catch(() => {
      if (!signal.aborted) this.onerror?.()
    })
  }
  async #exchange(file: Blob): Promise<void> {
    const { upload } = this
    const pieces = async function* () {
      for (let offset = 0; offset < file.size; ) {
        const end = Math.min(file.size, offset + pieceBytes)
        yield new Uint8Array(await file.slice(offset, end).arrayBuffer())
        offset = end
        upload.onprogress?.({ loaded: offset })
      }
    }
    const source = pieces()
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const { done, value } = await source.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    })
    const { signal } = this.#abort
    const init = { method: this.#method, headers: this.#headers, body, duplex: 'half' as const, signal }
    const reply = await hooks.fetch(this.#url, init)
    this.responseText = await reply.text()
    this.status = reply.status
    this.onload?.()
  }
}
Object.assign(globalThis, { XMLHttpRequest: TestXMLHttpRequest })

const blobs = new Map<string, Blob>()
const { createObjectURL } = URL
URL.createObjectURL = (blob: Blob) => {
  const url = createObjectURL(blob)
  blobs.set(url, blob)
  return url
}
const { click } = window.HTMLAnchorElement.prototype
window.HTMLAnchorElement.prototype.click = function () {
  const blob = blobs.get(this.href)
  if (this.download === '' || !blob) return click.call(this)
  blobs.delete(this.href)
  hooks.download(this.download, blob)
}
