/** The console in the fake DOM, for one person, with a real server in the same process. Collects its errors, as console-visit.ts does. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { format } from 'node:util'
import {
  allowInsecureRequests,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  None,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { window } from '#console/test-dom'
import { adminEmail, password } from '#tests/support/console-visit'
import { openPerson, type Person } from '#tests/support/person'
import type { StartedServer } from '#tests/support/started-server'
import type { Locator } from './locator.ts'
import { waitUntil } from './locator.ts'
import { openPage, type Page } from './page.ts'

export interface Visit {
  page: Page
  /** Opens an address of the console, such as `/w/library`, and waits until it is loaded. */
  open(path: string): Promise<void>
  /** Declares which error replies are expected during `use`. Each must occur. */
  expectRefused(statuses: readonly number[], use: () => Promise<void>): Promise<void>
  /** Fails if the console wrote an error or a warning, or a request failed. Replies with the statuses of `mayRefuse` may occur. */
  end(mayRefuse?: readonly number[]): Promise<void>
}

const { error, warn } = console
/** Also before a visit and at the end, because a test that fails does not end its visit. */
const restoreConsole = () => Object.assign(console, { error, warn })

after(() => {
  restoreConsole()
  // No timer of a page keeps the process alive.
  return window.happyDOM.abort()
})

type Origins = Pick<StartedServer, 'authUrl' | 'baseUrl'>

/** Signs in at the server's own pages, and returns the address of the console that completes it. */
const signIn = async ({ authUrl, baseUrl }: Origins, to: string, person: Person): Promise<string> => {
  const settings = await discovery(new URL(`${authUrl}/`), 'console', undefined, None(), {
    execute: [allowInsecureRequests],
  })
  const pending = { state: randomState(), nonce: randomNonce(), verifier: randomPKCECodeVerifier(), to }
  const url = buildAuthorizationUrl(settings, {
    redirect_uri: `${authUrl}/console/callback`,
    scope: 'openid profile email offline_access',
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
  })
  for (const audience of [`${authUrl}/manage/`, `${baseUrl}/`]) url.searchParams.append('resource', audience)
  window.sessionStorage.setItem('querent.sign-in', JSON.stringify(pending))
  return (await person.completeFlow(url)).href
}

/** Opens an address of the console, such as `/w/library`, as a signed-in person. The visit before it ends. */
export const visitSignedIn = async (
  server: Origins,
  path: string,
  email = adminEmail,
  secret = password,
): Promise<Visit> => {
  window.localStorage.clear()
  window.sessionStorage.clear()
  const { authUrl } = server
  const person = openPerson(server, email, secret)
  const page = openPage({
    baseUrl: server.baseUrl,
    // The console asks for a sign-in: the person's session answers, or the form.
    leave: async address =>
      address.startsWith(`${authUrl}/authorize`) ? (await person.completeFlow(address)).href : address,
  })
  let complaints: string[] = []
  let errorReplies: { status: number; request: string }[] = []
  page.on('response', reply => {
    if (reply.status() >= 400)
      errorReplies.push({ status: reply.status(), request: `${reply.request().method()} ${reply.url()}` })
  })
  restoreConsole()
  for (const name of ['error', 'warn'] as const)
    console[name] = (...parts: unknown[]) => complaints.push(format(...parts))
  window.happyDOM.setURL(`${authUrl}/console/`)
  await page.goto(await signIn(server, `/console${path}`, person))
  return {
    page,
    open: target => page.goto(`${authUrl}/console${target}`),
    async expectRefused(statuses, use) {
      assert.deepEqual(errorReplies, [])
      await use()
      assert.deepEqual(
        errorReplies.map(({ status }) => status),
        statuses,
        JSON.stringify(errorReplies),
      )
      errorReplies = []
      // A page that cannot be shown. The development build of the router warns of it too.
      complaints = complaints.filter(text => !/^(ApiError|Warning: Error in route match)/.test(text))
    },
    async end(mayRefuse = []) {
      page.close()
      restoreConsole()
      const unexpected = errorReplies.filter(({ status }) => !mayRefuse.includes(status))
      assert.deepEqual({ complaints, unexpected }, { complaints: [], unexpected: [] })
    },
  }
}

/** Waits for the focus. */
export const waitForFocus = async (locator: Locator): Promise<void> => {
  await waitUntil(
    () => (locator.elements().some(it => it === window.document.activeElement) ? true : undefined),
    () => `${locator} is not focused, but ${window.document.activeElement?.outerHTML.slice(0, 200)}`,
  )
}

/** Waits until there are `count` of them. */
export const waitForCount = async (locator: Locator, count: number): Promise<void> => {
  await waitUntil(
    () => (locator.elements().length === count ? true : undefined),
    () => `there are ${locator.elements().length} of ${locator} and not ${count}`,
  )
}

export const waitUntilSettled = (page: Page): Promise<void> => page.settle()
