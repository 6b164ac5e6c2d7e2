/** The Next.js example of `examples/`, built and started from a clean folder, in Chromium. */
import assert from 'node:assert/strict'
import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import type { BrowserContext, Page } from 'playwright-core'
import { freePort, run } from '#bench/peers/start'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { copyExample, installClient, readManifest } from '#tests/support/examples'
import { openLibrarySite, withExampleServer } from '#tests/support/library-examples'
import { npmFolder } from '#tests/support/npm-folder'

const client = '@querent/client'

/** Returns a folder with the example's packages from the registry. */
const installPackages = async (folder: string): Promise<string> => {
  const { dependencies, devDependencies } = await readManifest(folder)
  const packages = Object.entries({ ...dependencies, ...devDependencies })
    .filter(([name]) => name !== client)
    .map(([name, version]) => `${name}@${version}`)
  return npmFolder('next-js', packages)
}

const secret = 'a secret of the test, for the cookie of the session'
const cookieName = 'authjs.session-token'

interface Session {
  accessToken: string
  refreshToken: string
  expiresAt: number
}

/** Reads and writes the application's cookie in the browser. */
const openSession = async (folder: string, context: BrowserContext, url: string) => {
  const jwt: {
    decode(input: { token: string; secret: string; salt: string }): Promise<Session>
    encode(input: { token: Session; secret: string; salt: string }): Promise<string>
  } = await import(pathToFileURL(join(folder, 'node_modules', 'next-auth', 'jwt.js')).href)
  const read = async () => {
    const cookie = (await context.cookies(url)).find(({ name }) => name === cookieName)
    return cookie && jwt.decode({ token: cookie.value, secret, salt: cookieName })
  }
  return {
    read,
    /** Changes the session as time would. */
    async expire() {
      const session = (await read()) ?? assert.fail('there is no session')
      const value = await jwt.encode({ token: { ...session, expiresAt: 0 }, secret, salt: cookieName })
      await context.addCookies([{ name: cookieName, value, url, httpOnly: true }])
      return session
    },
  }
}

const search = async (page: Page, words: string): Promise<void> => {
  await page.getByLabel('Search for').fill(words)
  await page.getByRole('button', { name: 'Search' }).click()
}

test('a person signs in, searches with refreshed tokens, and signs out', async t => {
  const [site, browser, folder, port] = await Promise.all([
    openLibrarySite(),
    openChromium(),
    copyExample(t, 'next-js'),
    freePort(),
  ])
  t.after(async () => {
    await browser.close()
    await site.close()
  })
  await cp(join(await installPackages(folder), 'node_modules'), join(folder, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  })
  await installClient(folder)
  const { version } = await readManifest(join(folder, 'node_modules', client))
  assert.equal((await readManifest(folder)).dependencies?.[client], version)
  await site.server.importDocuments(
    'dictionary',
    'entries',
    '{"id":"1","title":"tiger","words":["tiger"],"definition":"a large feline with stripes"}',
  )
  const url = `http://localhost:${port}`
  const { clientId, clientSecret = '' } = await site.register('server', `${url}/api/auth/callback/querent`)
  const env = {
    NEXT_TELEMETRY_DISABLED: '1',
    AUTH_URL: url,
    AUTH_SECRET: secret,
    AUTH_QUERENT_ISSUER: `${site.server.authUrl}/`,
    AUTH_QUERENT_ID: clientId,
    AUTH_QUERENT_SECRET: clientSecret,
    QUERENT_URL: site.server.baseUrl,
  }
  const next = join(folder, 'node_modules', 'next', 'dist', 'bin', 'next')
  await run(process.execPath, [next, 'build'], { cwd: folder, env: { ...process.env, ...env } })

  const args = [next, 'start', '--port', String(port), '--hostname', 'localhost']
  await withExampleServer(process.execPath, { args, folder, env }, url, async () => {
    const context = await browser.newContext()
    context.setDefaultTimeout(stepMsMax)
    const page = await context.newPage()
    const { email, password } = site.openPerson()
    const signedIn = page.getByText(`Signed in as ${email}.`)
    await page.goto(url)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('E-mail address').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await signedIn.waitFor()
    await search(page, 'feline')
    await page.getByText('a large feline with stripes').waitFor()

    // Scripts of the page get no token.
    const publicSession = await (await context.request.get(`${url}/api/auth/session`)).text()
    assert.match(publicSession, new RegExp(email))
    const session = await openSession(folder, context, url)
    const oldSession = await session.expire()
    assert.ok(
      !publicSession.includes(oldSession.accessToken) && !publicSession.includes(oldSession.refreshToken),
    )

    // Two tabs refresh at the same time.
    const second = await context.newPage()
    await Promise.all([page.goto(`${url}/?words=stripes`), second.goto(`${url}/?words=large`)])
    for (const tab of [page, second]) await tab.getByText('a large feline with stripes').waitFor()
    const newSession = (await session.read()) ?? assert.fail('the session is lost')
    assert.notEqual(newSession.accessToken, oldSession.accessToken)
    assert.notEqual(newSession.refreshToken, oldSession.refreshToken)
    assert.ok(newSession.expiresAt > oldSession.expiresAt - 60)

    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    assert.equal(await session.read(), undefined)
    const query = `${site.server.baseUrl}/4/dictionary/api/dictionary/e/search/p/query/tiger/count`
    const reply = await fetch(query, { headers: { authorization: `Bearer ${newSession.accessToken}` } })
    assert.equal(reply.status, 401)

    // A session whose sign-in was revokedSession elsewhere.
    await page.getByRole('button', { name: 'Sign in' }).click()
    await signedIn.waitFor()
    const revokedSession = await session.expire()
    await fetch(`${site.server.authUrl}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({
        token: revokedSession.refreshToken,
        client_id: clientId,
        client_secret: clientSecret,
      }),
    })
    await page.goto(url)
    await page.getByRole('button', { name: 'Sign in' }).waitFor()
    assert.equal(await session.read(), undefined)
  })
})
