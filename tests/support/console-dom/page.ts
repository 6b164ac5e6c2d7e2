/** One tab with the console in the fake DOM: page loads, addresses, keys, and its requests, which a test can watch and change. */
import assert from 'node:assert/strict'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setImmediate as nextTask } from 'node:timers/promises'
import { timeoutManager } from '@tanstack/query-core'
import { loadConsole } from '#console/test-bundle'
import { hooks, window } from '#console/test-dom'
import { withPatience } from '#server/test-wait'
import { type Locator, pageLocator, pressKey, typeText, waitUntil } from './locator.ts'

// The cache forgets unused replies after minutes: no process waits for that.
timeoutManager.setTimeoutProvider<NodeJS.Timeout>({
  setTimeout: (callback, delay) => setTimeout(callback, delay).unref(),
  clearTimeout: timer => clearTimeout(timer),
  setInterval: (callback, delay) => setInterval(callback, delay).unref(),
  clearInterval: timer => clearInterval(timer),
})

/** Glob with `*` and `**`, a pattern, or a condition. */
export type Address = string | RegExp | ((url: URL) => boolean)

const matchesAddress = (url: string, wanted: Address): boolean => {
  if (typeof wanted === 'function') return wanted(new URL(url))
  if (wanted instanceof RegExp) return wanted.test(url)
  const pattern = wanted
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('**', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '.*')
  return new RegExp(`^${pattern}$`).test(url)
}

export interface SentRequest {
  method(): string
  url(): string
  postData(): string | null
  headers(): Record<string, string>
}
export interface ReceivedReply {
  status(): number
  url(): string
  request(): SentRequest
}
export interface Route {
  request(): SentRequest
  continue(changes?: { url?: string }): Promise<void>
  fulfill(reply: {
    status?: number
    json?: unknown
    body?: string
    headers?: Record<string, string>
  }): Promise<void>
  abort(): Promise<void>
}

export interface Download {
  suggestedFilename(): string
  text(): Promise<string>
  /** Writes it to a file, which is deleted at the end. */
  path(): Promise<string>
  saveAs(path: string): Promise<void>
}

/** A console that is shown. */
interface Console {
  unmount(): void
}

/** Ends the page of the tab that was used last: there is one document. */
let unloadCurrent = (): void => {}
let downloads: Promise<string> | undefined
const saveInFolder = async (name: string, content: Blob): Promise<string> => {
  downloads ??= mkdtemp(join(tmpdir(), 'querent-downloads-'))
  const path = join(await downloads, name)
  await writeFile(path, await content.bytes())
  return path
}
after(async () => {
  if (downloads) await rm(await downloads, { recursive: true })
})

type Listeners = {
  download: (file: Download) => void
  request: (request: SentRequest) => void
  /** The page has canceled the request, or it got no reply. */
  requestfailed: (request: SentRequest) => void
  response: (reply: ReceivedReply) => void
}

export const openPage = ({
  baseUrl,
  leave,
}: {
  baseUrl: string
  leave: (address: string) => Promise<string>
}) => {
  const { document } = window
  let mounted: Console | undefined
  /** A page load that a script of the page started. */
  let loading: Promise<void> = Promise.resolve()
  let loads = 0
  let pending = 0
  let isOffline = false
  const routes: { address: Address; handle: (route: Route) => unknown }[] = []
  const listeners: { [Name in keyof Listeners]: Set<Listeners[Name]> } = {
    download: new Set(),
    request: new Set(),
    requestfailed: new Set(),
    response: new Set(),
  }

  const unload = () => {
    mounted?.unmount()
    mounted = undefined
  }
  const load = async (address: string): Promise<void> => {
    unloadCurrent()
    unloadCurrent = unload
    Object.assign(hooks, ownHooks)
    document.head.innerHTML = `<title>Querent</title><meta name="querent-base-url" content="${baseUrl}"><meta name="querent-nonce" content="nonce">`
    document.body.innerHTML = '<div id="root"></div>'
    window.happyDOM.setURL(address)
    const { mount } = await loadConsole()
    mounted = mount()
  }
  const ownHooks: Partial<typeof hooks> = {
    navigate(address) {
      loads++
      loading = loading.then(async () => load(await leave(address))).finally(() => loads--)
    },
    download(name, content) {
      const file: Download = {
        suggestedFilename: () => name,
        text: () => content.text(),
        path: () => saveInFolder(name, content),
        saveAs: async path => copyFile(await saveInFolder(name, content), path),
      }
      for (const listener of listeners.download) listener(file)
    },
  }

  const describe = (url: string, init: RequestInit = {}): SentRequest => ({
    method: () => init.method ?? 'GET',
    url: () => url,
    postData: () => (typeof init.body === 'string' ? init.body : null),
    headers: () => Object.fromEntries(new Headers(init.headers)),
  })
  const send = async (
    url: string,
    init: RequestInit | undefined,
    request: SentRequest,
  ): Promise<Response> => {
    if (isOffline) throw new TypeError('Failed to fetch')
    const match = routes.findLast(({ address }) => matchesAddress(url, address))
    if (!match) return fetch(url, init)
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    const route: Route = {
      request: () => request,
      continue: async (changes = {}) => resolve(fetch(changes.url ?? url, init)),
      fulfill: async ({ status = 200, json, body, headers = {} }) =>
        resolve(
          new Response(json === undefined ? (body ?? null) : JSON.stringify(json), {
            status,
            headers: { ...(json === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
          }),
        ),
      abort: async () => reject(new TypeError('Failed to fetch')),
    }
    init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
    void Promise.resolve(match.handle(route)).catch(reject)
    return promise
  }
  /** A request is pending until all of its JSON has arrived. */
  const readJson = async (reply: Response): Promise<Response> => {
    if (!reply.headers.get('content-type')?.includes('json') || reply.body === null) return reply
    const { status, statusText, headers, url } = reply
    const received = new Response(await reply.arrayBuffer(), { status, statusText, headers })
    return Object.defineProperty(received, 'url', { value: url })
  }
  ownHooks.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    const request = describe(url, init)
    for (const listener of listeners.request) listener(request)
    pending++
    try {
      const reply = await readJson(await send(url, init, request))
      const { status } = reply
      for (const listener of listeners.response)
        listener({ status: () => status, url: () => url, request: () => request })
      return reply
    } catch (error) {
      for (const listener of listeners.requestfailed) listener(request)
      throw error
    } finally {
      pending--
    }
  }

  const settle = async (): Promise<void> => {
    await loading
    let quiet = 0
    await waitUntil(
      () => {
        const isSettled =
          loads === 0 &&
          pending === 0 &&
          document.querySelector('h1, h2') !== null &&
          document.querySelector('.mantine-Skeleton-root') === null
        quiet = isSettled ? quiet + 1 : 0
        return quiet > 1 ? true : undefined
      },
      () => `the page at ${page.url()} does not settle (${pending} requests pending)`,
    )
  }

  const nextEvent = <Name extends keyof Listeners>(
    name: Name,
    accepts: (event: Parameters<Listeners[Name]>[0]) => boolean,
    subject: unknown = '',
  ) => {
    const event = new Promise<Parameters<Listeners[Name]>[0]>(resolve => {
      const listener = (candidate: Parameters<Listeners[Name]>[0]) => {
        if (!accepts(candidate)) return
        ;(listeners[name] as Set<typeof listener>).delete(listener)
        resolve(candidate)
      }
      ;(listeners[name] as Set<typeof listener>).add(listener)
    })
    return withPatience(event, () => `the page at ${page.url()} has a ${name} ${subject}`.trimEnd())
  }

  const page = {
    url: (): string => window.location.href,
    title: async (): Promise<string> => document.title,
    content: async (): Promise<string> => document.documentElement.outerHTML,
    /** Loads an address and waits until the page has its heading and no pending requests. */
    async goto(address: string): Promise<void> {
      await loading
      await load(address)
      await settle()
    },
    reload: (): Promise<void> => page.goto(page.url()),
    async goBack(): Promise<void> {
      window.history.back()
      await nextTask()
      await settle()
    },
    settle,
    close: unload,
    async waitForURL(wanted: Address): Promise<void> {
      await waitUntil(
        () => (matchesAddress(page.url(), wanted) ? true : undefined),
        () => `the address is ${page.url()} and not ${wanted}`,
      )
    },
    on<Name extends keyof Listeners>(name: Name, listener: Listeners[Name]): void {
      ;(listeners[name] as Set<Listeners[Name]>).add(listener)
    },
    waitForDownload: () => nextEvent('download', () => true),
    waitForRequest: (accepts: string | RegExp | ((request: SentRequest) => boolean)) =>
      nextEvent(
        'request',
        it => (typeof accepts === 'function' ? accepts(it) : matchesAddress(it.url(), accepts)),
        accepts,
      ),
    waitForResponse: (accepts: string | RegExp | ((reply: ReceivedReply) => boolean)) =>
      nextEvent(
        'response',
        it => (typeof accepts === 'function' ? accepts(it) : matchesAddress(it.url(), accepts)),
        accepts,
      ),
    /** Answers requests of the page to these addresses. */
    async route(address: Address, handle: (route: Route) => unknown): Promise<void> {
      routes.push({ address, handle })
    },
    async unroute(address: Address): Promise<void> {
      const index = routes.findLastIndex(
        it => it.address === address || String(it.address) === String(address),
      )
      assert.ok(index >= 0, `no route for ${address}`)
      routes.splice(index, 1)
    },
    async setOffline(offline: boolean): Promise<void> {
      isOffline = offline
      window.dispatchEvent(new window.Event(offline ? 'offline' : 'online'))
    },
    keyboard: { press: pressKey, type: typeText, insertText: typeText },
    /** Text on the clipboard. */
    readClipboard: (): Promise<string> => window.navigator.clipboard.readText(),
    getByRole: pageLocator.getByRole.bind(pageLocator),
    getByText: pageLocator.getByText.bind(pageLocator),
    getByLabel: pageLocator.getByLabel.bind(pageLocator),
    getByPlaceholder: pageLocator.getByPlaceholder.bind(pageLocator),
    locator: pageLocator.locator.bind(pageLocator),
  }
  return page
}
export type Page = ReturnType<typeof openPage>
export type { Locator }
