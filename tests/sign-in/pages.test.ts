/** The server's pages in real Chromium, with a real mail server, for an application on another origin. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { openTestMailServer, type TestMailServer } from '#server/accounts/test-mail'
import { chooseRuns } from '#server/test-runs'
import { waitUntil } from '#server/test-wait'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { register } from '#tests/support/examples'
import { workspaceFile } from '#tests/support/library'
import { inspect } from '#tests/support/pages-inspect'
import { type StartedServer, startServer } from '#tests/support/started-server'

const password = 'correct horse battery staple'
const better = 'seven purple walruses hum'

let server: StartedServer
let browser: Browser
let application: Server
let applicationUrl: string
let mailServer: TestMailServer
let clientId: string
let nativeId: string

const listening = (listener: Server): Promise<number> =>
  new Promise(resolve =>
    // A listening TCP server has an address of this form.
    listener.listen(0, '127.0.0.1', () => resolve((listener.address() as AddressInfo).port)),
  )

const createUser = (email: string, name: string) =>
  server.run(['users', 'create', email, '--name', name, '--password-stdin'], { input: `${password}\n` })
/** Each test has a person who has not consented to anything yet. */
const newMember = async (name: string): Promise<string> => {
  const email = `${name}@example.org`
  await createUser(email, 'Ada Lovelace')
  await server.call('setMember', { params: { workspace: 'library', email }, input: { roles: ['api'] } })
  return email
}
const invite = async (email: string): Promise<string> =>
  ((await server.run(['members', 'invite', 'library', email, '--role', 'user'])) as { url: string }).url

before(async () => {
  mailServer = await openTestMailServer()
  process.env.QUERENT_SMTP_URL = mailServer.smtpUrl
  process.env.QUERENT_MAIL_FROM = 'Search <search@example.org>'
  server = await startServer()
  const definition = join(server.data, '..', 'workspace.yaml')
  await writeFile(definition, workspaceFile('library'))
  await server.applyFile(definition)
  application = createServer(({ headers }, response) => {
    // At its IP address it redirects to its name, which is another origin.
    if (headers.host?.startsWith('127.0.0.1'))
      return void response.writeHead(302, { location: applicationUrl }).end()
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end('<!doctype html><title>Finder</title><h1>Finder</h1>')
  })
  applicationUrl = `http://localhost:${await listening(application)}/back`
  clientId = (await register(server, 'Finder', 'browser', applicationUrl)).clientId
  nativeId = (await register(server, 'Pocket Finder', 'native', 'com.example.finder:/back')).clientId
  await createUser('stranger@example.org', 'Stranger')
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
  application?.close()
  await mailServer?.close()
})

const authorizeUrl = (extraParameters: Record<string, string> = {}): string => {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: applicationUrl,
    response_type: 'code',
    scope: 'openid profile email offline_access',
    audience: server.baseUrl,
    state: 's',
    code_challenge: createHash('sha256').update(randomBytes(32).toString('base64url')).digest('base64url'),
    code_challenge_method: 'S256',
    ...extraParameters,
  })
  return `${server.authUrl}/authorize?${query}`
}
/** Opens a page in a fresh profile that is closed at the end. Collects policy violations from its console. */
const withPage = async (
  options: Parameters<Browser['newContext']>[0],
  use: (page: Page, policyViolations: string[], context: BrowserContext) => Promise<void>,
) => {
  const context = await browser.newContext(options)
  context.setDefaultTimeout(stepMsMax)
  const page = await context.newPage()
  const policyViolations: string[] = []
  page.on('console', message => {
    if (/Content Security Policy|Refused/.test(message.text())) policyViolations.push(message.text())
  })
  try {
    await use(page, policyViolations, context)
  } finally {
    await context.close()
  }
}
const signIn = async (page: Page, email: string, secret = password) => {
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill(secret)
  await page.locator('[value=sign-in]').click()
}
/** Waits until the application's page is open. */
const waitForApplication = (page: Page) =>
  page.getByRole('heading', { name: 'Finder', exact: true }).waitFor()
const press = (page: Page, action: string) => page.locator(`button[value=${action}]`).click()
const waitForLink = (pattern: RegExp): Promise<string> =>
  waitUntil(() =>
    mailServer.letters.map(({ content }) => pattern.exec(content)?.[0]).findLast(link => link !== undefined),
  )

for (const locale of chooseRuns(['en'], ['en', 'nl']))
  test(`every page in "${locale}": axe finds nothing at 360 and 1280 px, light and dark, and nothing overflows`, async () => {
    // The screenshots show the English pages.
    const inspectPage = (page: Page, name: string) =>
      inspect(page, locale === 'en' ? name : `${name} (${locale})`)
    const withLocalizedPage = (use: Parameters<typeof withPage>[1]) => withPage({ locale }, use)
    const address = (name: string) => `${name}.${locale}@example.org`

    const email = await newMember(`ada.lovelace.${locale}`)
    await withLocalizedPage(async page => {
      await page.goto(authorizeUrl())
      assert.equal(await page.locator('html').getAttribute('lang'), locale)
      await inspectPage(page, 'login')
      await signIn(page, email, 'wrong')
      await inspectPage(page, 'login-wrong')
      await page.locator('[name=email]').fill('')
      await press(page, 'sign-in')
      await inspectPage(page, 'login-empty')
      await page.locator('[name=email]').fill(address('guessed'))
      for (let guess = 0; guess < 11; guess++) await signIn(page, address('guessed'), `guess ${guess}`)
      await inspectPage(page, 'login-throttled')
      await page.locator('.field a').click()
      await inspectPage(page, 'forgotten')
      await page.locator('[name=email]').fill(email)
      mailServer.letters.length = 0
      await press(page, 'send')
      await inspectPage(page, 'forgotten-sent')
      const resetLink = /http:\/\/127\.0\.0\.1:\d+\/password\/reset\/[\w-]+/
      const earlierLink = await waitForLink(resetLink)
      mailServer.letters.length = 0
      await page.goto(`${server.authUrl}/password/forgot`)
      await page.locator('[name=email]').fill(email)
      await press(page, 'send')
      const link = await waitForLink(resetLink)
      assert.notEqual(link, earlierLink)
      // The newest link works, and the one before does not.
      assert.equal((await page.goto(earlierLink))?.status(), 410)
      await page.goto(link)
      await inspectPage(page, 'reset')
      await page.locator('[name=password]').fill('adalovelace')
      await press(page, 'save')
      await inspectPage(page, 'reset-weak')
      await page.locator('[name=password]').fill(password)
      await press(page, 'save')
      await page.getByRole('status').waitFor()
      await inspectPage(page, 'login-saved')
      await page.goto(`${server.authUrl}/password/changed`)
      await inspectPage(page, 'reset-done')
      await page.locator('a.button').click()
      await signIn(page, email)
      await inspectPage(page, 'consent')
      await press(page, 'allow')
      await waitForApplication(page)
      await page.goto(link)
      await inspectPage(page, 'reset-gone')
      await page.goto(`${server.authUrl}/logout`)
      await inspectPage(page, 'logout')
      await page.locator('button').click()
      await inspectPage(page, 'logged-out')
    })
    await withLocalizedPage(async page => {
      await page.goto(authorizeUrl())
      await signIn(page, 'stranger@example.org')
      await inspectPage(page, 'no-member')
      await page.goto(await invite(address('guest')))
      await inspectPage(page, 'invitation-other')
      await press(page, 'switch')
      await inspectPage(page, 'invitation-new')
      await press(page, 'register')
      await inspectPage(page, 'invitation-empty')
      await page.locator('[name=name]').fill('Grace Hopper')
      await page.locator('[name=password]').fill(better)
      await press(page, 'register')
      await inspectPage(page, 'invitation-joined')
      await page.goto(page.url().replace('/joined', ''))
      await inspectPage(page, 'invitation-used')
      await page.goto(`${server.authUrl}/invitation/qri_none`)
      await inspectPage(page, 'invitation-unknown')
      await createUser(address('known'), 'Known Person')
      const earlierLink = await invite(address('known'))
      const laterLink = await invite(address('known'))
      await page.goto(earlierLink)
      await inspectPage(page, 'invitation-withdrawn')
      await page.goto(laterLink)
      // A person who has joined is signed in.
      await press(page, 'switch')
      await inspectPage(page, 'invitation-known')
      await page.goto(authorizeUrl())
      const login = page.url()
      await signIn(page, address('known'))
      await page.goto(laterLink)
      await inspectPage(page, 'invitation-join')
      await page.goto(login)
      await inspectPage(page, 'expired')
      await page.goto(`${server.authUrl}/authorize?client_id=none&response_type=code`)
      await page.getByText('invalid_client').waitFor()
      await inspectPage(page, 'error')
      await page.goto(`${server.authUrl}/authorize?response_type=code`)
      await inspectPage(page, 'error-missing')
      await page.goto(`${server.authUrl}/`)
      await inspectPage(page, 'start')
      await page.goto(`${server.authUrl}/nothing`)
      await inspectPage(page, 'missing')
      await page.goto(`${server.authUrl}/logout/confirm`)
      await inspectPage(page, 'logout-method')
      await page.goto(authorizeUrl({ claims: '{"id_token":{"sub":{"value":"somebody"}}}' }))
      await inspectPage(page, 'wrong-account')
    })
    await withLocalizedPage(async page => {
      const requestCode = async (): Promise<string> => {
        const body = new URLSearchParams({ client_id: nativeId, scope: 'openid', audience: server.baseUrl })
        const reply = await fetch(`${server.authUrl}/oauth/device/code`, { method: 'POST', body })
        // The JSON of RFC 8628, section 3.2.
        return ((await reply.json()) as { verification_uri_complete: string }).verification_uri_complete
      }
      await page.goto(`${server.authUrl}/activate`)
      await inspectPage(page, 'device')
      await page.locator('[name=user_code]').fill('BCDF-GHJK')
      await page.locator('main form button').click()
      await inspectPage(page, 'device-unknown')
      await page.goto(await requestCode())
      await page.locator('main form button').click()
      await page.locator('[name=abort]').waitFor()
      await inspectPage(page, 'device-confirm')
      await page.locator('[name=abort]').click()
      await inspectPage(page, 'device-refused')
      await page.goto(await requestCode())
      await page.locator('main form button').click()
      await page.locator('[name=confirm]').click()
      await signIn(page, email)
      await page.locator('[name=email]').waitFor({ state: 'detached' })
      await inspectPage(page, 'device-connected')
    })
    await withLocalizedPage(async page => {
      // The page navigates by itself. A reply without content keeps it open.
      await page.route(applicationUrl, route => route.fulfill({ status: 204 }))
      const posted = page.waitForRequest(applicationUrl)
      await page.goto(authorizeUrl({ response_mode: 'form_post' }))
      await signIn(page, email)
      assert.match((await posted).postData() ?? '', /code=/)
      await inspectPage(page, 'form-post')
    })
  })

test('without JavaScript, people can sign in, switch accounts, consent, and return to the application on another origin', async () => {
  const email = await newMember('plain')
  await withPage({ javaScriptEnabled: false }, async (page, refusals) => {
    await page.goto(authorizeUrl())
    await signIn(page, 'stranger@example.org')
    await page.locator('a.button').click()
    await signIn(page, email)
    await press(page, 'allow')
    await waitForApplication(page)
    assert.equal(new URL(page.url()).origin, new URL(applicationUrl).origin)
    assert.ok(new URL(page.url()).searchParams.get('code'))
    assert.deepEqual(refusals, [])
  })
})

test('by keyboard alone, people can sign in and consent, and every focus is visible', async () => {
  const email = await newMember('keyboard')
  await withPage({}, async page => {
    // Runs in the page. Returns the name of the focused element, or the value of a button, and how the focus looks.
    const focused = () =>
      page.evaluate<{ name: string; outline: string }>(`(() => {
        const it = document.activeElement
        const { outlineStyle, outlineWidth } = getComputedStyle(it)
        return { name: it.name === 'action' ? it.value : it.name || it.tagName, outline: outlineStyle + ' ' + outlineWidth }
      })()`)
    /** A busy browser sets the focus some time after the page is loaded. */
    const waitForFocus = () => page.locator('[name=email]:focus').waitFor()
    await page.goto(authorizeUrl())
    await waitForFocus()
    const stops = []
    for (let stopCount = 0; stopCount < 6; stopCount++) {
      const stop = await focused()
      assert.equal(stop.outline, 'solid 3px', JSON.stringify(stop))
      stops.push(stop.name)
      await page.keyboard.press('Tab')
    }
    // The button shows the password.
    assert.deepEqual(stops, ['email', 'password', 'BUTTON', 'A', 'sign-in', 'cancel'])
    await page.reload()
    await waitForFocus()
    await page.keyboard.type(email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await page.waitForSelector('.permissions')
    for (let tabCount = 0; tabCount < 6 && (await focused()).name !== 'allow'; tabCount++)
      await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${applicationUrl}**`)
  })
})

test('reloading and going back never submit a form again, and never end at a browser error page', async () => {
  const email = await newMember('historian')
  await withPage({}, async page => {
    const postedPaths: string[] = []
    page.on('request', request => {
      if (request.method() === 'POST') postedPaths.push(new URL(request.url()).pathname)
    })
    await page.goto(authorizeUrl())
    await signIn(page, email, 'wrong')
    await page.getByRole('alert').waitFor()
    await page.reload()
    assert.equal(await page.getByRole('alert').count(), 0)
    await page.goto(`${server.authUrl}/password/forgot`)
    await page.locator('[name=email]').fill('')
    await press(page, 'send')
    await page.getByRole('alert').waitFor()
    // First the page before the form was sent, then the page before that.
    await page.goBack()
    await page.getByRole('heading', { name: 'Choose a new password' }).waitFor()
    await page.goBack()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    assert.equal(postedPaths.length, 2)

    await signIn(page, email)
    await press(page, 'allow')
    await waitForApplication(page)
    // Back from the application: its sign-in has ended, and the page leads to the application.
    await page.goBack()
    await page.getByRole('link', { name: 'Go to Finder' }).click()
    await waitForApplication(page)
    assert.equal(page.url(), `${new URL(applicationUrl).origin}/`)
    assert.equal(postedPaths.length, 4)
  })
})

test('form_post continues by itself with JavaScript, and with one button without it', async () => {
  const email = await newMember('poster')
  for (const javaScriptEnabled of [true, false])
    await withPage({ javaScriptEnabled }, async (page, refusals) => {
      const posted = page.waitForRequest(request => request.url() === applicationUrl)
      await page.goto(authorizeUrl({ response_mode: 'form_post' }))
      await signIn(page, email)
      if (javaScriptEnabled) await press(page, 'allow')
      else await page.getByRole('button', { name: 'Continue' }).click()
      assert.match((await posted).postData() ?? '', /code=[\w-]+&state=s&iss=/)
      await waitForApplication(page)
      assert.deepEqual(refusals, [])
    })
})

test('by keyboard alone, people can switch to another account, and leave a page that has expired', async () => {
  const email = await newMember('switching')
  await createUser('wrong@example.org', 'Wrong')
  await withPage({}, async page => {
    const tabTo = async (name: string) => {
      for (let tabCount = 0; tabCount < 8; tabCount++) {
        await page.keyboard.press('Tab')
        if ((await page.evaluate('document.activeElement.textContent.trim()')) === name) return
      }
      assert.fail(`the focus never came to ${name}`)
    }
    const type = async (address: string) => {
      await page.locator('[name=email]:focus').waitFor()
      await page.keyboard.type(address)
      await page.keyboard.press('Tab')
      await page.keyboard.type(password)
      await page.keyboard.press('Enter')
    }
    await page.goto(authorizeUrl())
    await type('wrong@example.org')
    await page.getByRole('heading', { name: 'You are not a member' }).waitFor()
    const pages = page.url()
    await tabTo('Sign out and use another account')
    await page.keyboard.press('Enter')
    await type(email)
    await page.getByRole('heading', { name: 'Allow Finder to access your account?' }).waitFor()
    await page.goto(pages)
    await tabTo('Go to Finder')
    await page.keyboard.press('Enter')
    await waitForApplication(page)
  })
})

test('a reply to a form can redirect to a private-use scheme', async () => {
  const email = await newMember('native')
  await withPage({}, async (page, refusals) => {
    await page.goto(authorizeUrl({ client_id: nativeId, redirect_uri: 'com.example.finder:/back' }))
    await signIn(page, email)
    const redirectResponse = page.waitForResponse(response =>
      (response.headers().location ?? '').startsWith('com.example.finder:/back?code='),
    )
    await press(page, 'allow')
    await redirectResponse
    assert.deepEqual(refusals, [])
  })
})

test('an application may redirect to another origin after sign-in, consent, going back and sign-out, with and without JavaScript', async () => {
  const redirectUri = applicationUrl.replace('localhost', '127.0.0.1').replace('/back', '/callback')
  const { clientId } = await register(server, 'Hopper', 'native', redirectUri)
  const makeAuthorizeUrl = (extraParameters = {}) =>
    authorizeUrl({ client_id: clientId, redirect_uri: redirectUri, ...extraParameters })
  for (const javaScriptEnabled of [true, false]) {
    const email = await newMember(`hopper-${javaScriptEnabled}`)
    await withPage({ javaScriptEnabled }, async (page, refusals) => {
      await page.goto(makeAuthorizeUrl())
      await press(page, 'cancel')
      await waitForApplication(page)
      await page.goto(makeAuthorizeUrl())
      await signIn(page, email)
      await press(page, 'allow')
      await waitForApplication(page)
      await page.goto(makeAuthorizeUrl({ prompt: 'login' }))
      await signIn(page, email)
      await waitForApplication(page)
      const { origin } = new URL(redirectUri)
      await page.goto(
        `${server.authUrl}/v2/logout?client_id=${clientId}&returnTo=${encodeURIComponent(`${origin}/`)}`,
      )
      await page.getByRole('button', { name: 'Sign out' }).click()
      await waitForApplication(page)
      assert.equal(page.url(), applicationUrl)
      assert.deepEqual(refusals, [])
    })
  }
})

test('clickjacking: no other site can frame our pages', async () => {
  await withPage({}, async page => {
    await page.goto(applicationUrl)
    const pageResponse = page.waitForResponse(`${server.authUrl}/password/forgot`)
    await page.setContent(`<iframe src="${server.authUrl}/password/forgot"></iframe>`)
    await pageResponse
    const frame = page.frames()[1]
    await frame?.waitForLoadState()
    assert.doesNotMatch((await frame?.content()) ?? '', /form_token/)
  })
})

test('password managers: fields declare their purpose', async () => {
  await withPage({}, async page => {
    await page.goto(authorizeUrl({ login_hint: 'ada.lovelace@example.org' }))
    assert.equal(await page.locator('[name=email]').getAttribute('autocomplete'), 'username')
    assert.equal(await page.locator('[name=email]').getAttribute('inputmode'), 'email')
    assert.equal(await page.locator('[name=password]').getAttribute('autocomplete'), 'current-password')
    // The hint is filled in, and the cursor is in the next field.
    assert.equal(await page.locator('[name=email]').inputValue(), 'ada.lovelace@example.org')
    await page.locator('#password:focus').waitFor()
    await page.goto(await invite('manager@example.org'))
    assert.equal(await page.locator('[name=password]').getAttribute('autocomplete'), 'new-password')
  })
})

test('a password can be shown, and is hidden again when it is sent; without JavaScript there is no button', async () => {
  await withPage({}, async (page, policyViolations) => {
    await page.goto(authorizeUrl())
    const field = page.locator('#password')
    await field.fill('not the password')
    await page.getByRole('button', { name: 'Show password' }).click()
    assert.equal(await field.getAttribute('type'), 'text')
    assert.equal(await field.inputValue(), 'not the password')
    await page.getByRole('button', { name: 'Hide password' }).click()
    assert.equal(await field.getAttribute('type'), 'password')
    await page.getByRole('button', { name: 'Show password' }).click()
    await page.locator('#email').fill('nobody@example.org')
    await page.evaluate(
      `document.forms[0].addEventListener('submit', event => event.preventDefault(), { once: true })`,
    )
    await page.keyboard.press('Enter')
    assert.equal(await field.getAttribute('type'), 'password')
    await page.keyboard.press('Enter')
    // The form keeps the address, but not the password.
    await page.locator('[role=alert]').waitFor()
    assert.equal(await page.locator('#email').inputValue(), 'nobody@example.org')
    assert.equal(await page.locator('#password').inputValue(), '')
    assert.deepEqual(policyViolations, [])
  })
  await withPage({ javaScriptEnabled: false }, async page => {
    await page.goto(authorizeUrl())
    assert.equal(await page.locator('.show').isVisible(), false)
  })
})
