/** The console in a real browser, for one person. Collects its errors. */
import assert from 'node:assert/strict'
import { text } from 'node:stream/consumers'
import type { Browser, BrowserContext, Download, Locator, Page, Request } from 'playwright-core'
import { waitUntil } from '#server/test-wait'
import { stepMsMax } from './chromium.ts'
import type { StartedServer } from './started-server.ts'

export const adminEmail = 'ada@example.org'
/** Password of the first operator, and of everybody whom the console tests create. */
export const password = 'correct horse battery staple'

export interface Visit {
  page: Page
  context: BrowserContext
  /** Opens an address of the console, such as `/w/library`, and waits until it is loaded. */
  open(path: string): Promise<void>
  /** Declares which error replies are expected during `work`. Each must occur. */
  expectRefused(statuses: readonly number[], use: () => Promise<void>): Promise<void>
  /**
   * Fails if the console wrote an error or a warning, a request failed, or the policy was violated. Then closes it. Replies with the
   * statuses of `mayRefuse` may occur.
   */
  end(mayRefuse?: readonly number[]): Promise<void>
}

/** Opens a fresh profile. The browser's own messages about replies with 400 and above are already in `refused`. */
export const visitConsole = async (browser: Browser, { authUrl }: StartedServer): Promise<Visit> => {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  countRequests(page)
  let complaints: string[] = []
  let errorReplies: { status: number; request: string }[] = []
  page.on('console', message => {
    const isReply = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isReply)
      complaints.push(`${message.text()} (${message.location().url}:${message.location().lineNumber})`)
  })
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('requestfailed', request => {
    // Requests that a page abandons when it is left.
    if (request.failure()?.errorText !== 'net::ERR_ABORTED')
      complaints.push(`${request.url()}: ${request.failure()?.errorText}`)
  })
  page.on('response', response => {
    const status = response.status()
    if (status >= 400)
      errorReplies.push({ status, request: `${response.request().method()} ${response.url()}` })
  })
  return {
    page,
    context,
    async open(path) {
      await page.goto(`${authUrl}/console${path}`)
      await waitUntilSettled(page)
    },
    async expectRefused(statuses, use) {
      assert.deepEqual(errorReplies, [])
      await use()
      assert.deepEqual(
        errorReplies.map(({ status }) => status),
        statuses,
        JSON.stringify(errorReplies),
      )
      errorReplies = []
      // A page that cannot be shown also writes to the browser's console.
      complaints = complaints.filter(text => !text.startsWith('ApiError'))
    },
    async end(mayRefuse = []) {
      await context.close()
      const unexpected = errorReplies.filter(({ status }) => !mayRefuse.includes(status))
      assert.deepEqual({ complaints, unexpected }, { complaints: [], unexpected: [] })
    },
  }
}

/** Pending requests of each visited page. */
const pendingRequests = new WeakMap<Page, Set<Request>>()
const countRequests = (page: Page): void => {
  const pending = new Set<Request>()
  pendingRequests.set(page, pending)
  page.on('request', request => pending.add(request))
  page.on('requestfinished', request => pending.delete(request))
  page.on('requestfailed', request => pending.delete(request))
}
/** Resolves when the scripts of the page have nothing left to do, so that they have sent the requests that follow from a reply. */
const waitForScripts = async (page: Page): Promise<void> => {
  const idle = 'new Promise(resolve => requestIdleCallback(() => resolve(), { timeout: 1000 }))'
  // It fails if another page loads meanwhile, and the caller looks again.
  await page.evaluate(idle).catch(error => {
    if (page.isClosed()) throw error
  })
}

/** Waits until the page has no pending requests. Playwright's `networkidle` would take half a second more each time. */
export const waitForRequests = async (page: Page): Promise<void> => {
  const pending = pendingRequests.get(page)
  if (pending === undefined) return page.waitForLoadState('networkidle')
  await waitUntil(
    async () => {
      if (pending.size > 0) return false
      await waitForScripts(page)
      return pending.size === 0
    },
    () =>
      `${page.url()} has no pending requests but ${Array.from(pending, request => request.url()).join(' ')}`,
  )
}

/** Waits until the page has its heading and no pending requests, and shows no outline of a part that is loaded. */
export const waitUntilSettled = async (page: Page): Promise<void> => {
  await page.locator('h1, h2').first().waitFor()
  await waitForRequests(page)
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
  // Requests of what has replaced the outlines.
  await waitForRequests(page)
}

/** Reads a file that the page saves, as text. */
export const readDownload = async (download: Download): Promise<string> =>
  text(await download.createReadStream())

/** Waits for the focus. It does not poll inside the page with a string, because the policy blocks that. */
export const waitForFocus = (locator: Locator): Promise<void> =>
  locator.and(locator.page().locator(':focus')).waitFor()

/** Waits until there are `count` of them. */
export const waitForCount = async (locator: Locator, count: number): Promise<void> => {
  await locator.nth(count - 1).waitFor()
  await locator.nth(count).waitFor({ state: 'detached' })
}

/** Drags an item of a sortable list by its handle to the place of another one, counted from 1. Drops it when the list has announced that place. */
export const dragItem = async (
  page: Page,
  name: string,
  targetName: string,
  position: number,
): Promise<void> => {
  const handle = (item: string) => page.getByRole('button', { name: `Move ${item}`, exact: true })
  const announced = (text: string | RegExp) =>
    page.getByRole('status').getByText(text).waitFor({ state: 'attached' })
  // Both wait until the rows no longer move.
  await handle(targetName).hover()
  await handle(name).hover()
  const target = await handle(targetName).boundingBox()
  const start = await handle(name).boundingBox()
  assert.ok(start && target)
  await page.mouse.down()
  const [x, y] = [start.x + start.width / 2, start.y + start.height / 2]
  await page.mouse.move(x, y + Math.sign(target.y - start.y) * 8, { steps: 4 })
  await announced(/(Lifted .*, at|is at) /)
  await page.mouse.move(x, target.y + target.height / 2, { steps: 8 })
  await announced(`${name} is at ${position} of `)
  await page.mouse.up()
}

/** Lists badges, times and addresses in tables that are cut off or wrapped. */
export const findBrokenTableText = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`[...document.querySelectorAll('td time, td[data-whole], td .mantine-Badge-label')]
    .flatMap(it => {
      const texts = document.createTreeWalker(it, NodeFilter.SHOW_TEXT)
      const broken = it.scrollWidth > it.clientWidth && it.clientWidth > 0 && getComputedStyle(it).overflowX !== 'visible'
        ? [it.textContent]
        : []
      while (texts.nextNode()) {
        const range = document.createRange()
        range.selectNodeContents(texts.currentNode)
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1)
          broken.push(texts.currentNode.data)
      }
      return broken
    })`)

/** Fills in the login that the console leads to. */
export const signIn = async (page: Page, email: string, secret = password): Promise<void> => {
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill(secret)
  await page.locator('[value=sign-in]').click()
  await page.waitForURL(/\/console\/(?!callback)/)
  await waitUntilSettled(page)
}

/** Signs out by the account menu. */
export const signOut = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: /^Account, / }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
}

/** Opens an address of the console, such as `/w/library`, and signs in from there. */
export const visitSignedIn = async (
  browser: Browser,
  server: StartedServer,
  path: string,
  email = adminEmail,
): Promise<Visit> => {
  const visit = await visitConsole(browser, server)
  await visit.page.goto(`${server.authUrl}/console${path}`)
  await signIn(visit.page, email)
  return visit
}
