/** The console in a real browser, as one person sees it; what it complains of is kept. */
import assert from 'node:assert/strict'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import { stepMsMax } from './chromium.ts'
import type { StartedServer } from './started-server.ts'

export const adminEmail = 'ada@example.org'
/** Of the first operator, and of everybody that the tests of the console make. */
export const password = 'correct horse battery staple'

export interface Visit {
  page: Page
  context: BrowserContext
  /** Opens an address of the console, `/w/library`, and waits until it is there. */
  open(path: string): Promise<void>
  /** Says which refusals are meant to happen while it runs; each must happen. */
  expectRefused(statuses: readonly number[], use: () => Promise<void>): Promise<void>
  /** Fails when the console wrote an error or a warning, when a request failed, or when the policy was broken. Closes it. */
  end(): Promise<void>
}

/** A fresh profile. What the browser itself says of a reply of 400 and up stands in `refused` already. */
export const visitConsole = async (browser: Browser, { authUrl }: StartedServer): Promise<Visit> => {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  let complaints: string[] = []
  let errorReplies: { status: number; request: string }[] = []
  page.on('console', message => {
    const isReply = message.text().startsWith('Failed to load resource')
    if (['error', 'warning'].includes(message.type()) && !isReply)
      complaints.push(`${message.text()} (${message.location().url}:${message.location().lineNumber})`)
  })
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('requestfailed', request => {
    // What a page no longer waits for when it is left.
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
      // A page that cannot be shown says so in the browser's console too.
      complaints = complaints.filter(text => !text.startsWith('ApiError'))
    },
    async end() {
      await context.close()
      assert.deepEqual({ complaints, refused: errorReplies }, { complaints: [], refused: [] })
    },
  }
}

/** The page has its heading, and waits for nothing. */
export const waitUntilSettled = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle')
  await page.locator('h1, h2').first().waitFor()
}

/** Waits until it has the focus. A string that the page itself looks at again and again is what its policy refuses. */
export const waitForFocus = (what: Locator): Promise<void> =>
  what.and(what.page().locator(':focus')).waitFor()

/** Waits until there are so many of it. */
export const waitForCount = async (what: Locator, count: number): Promise<void> => {
  await what.nth(count - 1).waitFor()
  await what.nth(count).waitFor({ state: 'detached' })
}

/** What is cut off or broken in two, of the badges, moments and addresses of tables. */
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

/** A visit that begins at an address of the console, `/w/library`, and is signed in from there. */
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
