/**
 * Pages that people see rarely, in real Chromium: of a workspace's own OpenID provider and its errors, of a changed e-mail address, of signing
 * out of an application, and errors of forms.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { ensureOwnClients } from '#server/oauth/clients/clients'
import { makeTestCompany } from '#server/oauth/identity-provider/test-company'
import { openTestProvider } from '#server/oauth/identity-provider/test-provider'
import { goodPassword, startPages } from '#server/oauth/interactions/test-pages'
import { newPkce } from '#server/oauth/test-sign-in'
import { createOneTimeLink } from '#server/storage/one-time-links'
import { findUserByEmail, setUserDisabled } from '#server/storage/users'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { inspect } from '#tests/support/pages-inspect'

const pages = await startPages({ signInThrottle: 'off' })
const provider = await openTestProvider()
const { storage, authUrl } = pages
/** The application. A redirect to it is a request of the browser, which no browser lets a test answer everywhere. */
const application = createServer((_request, response) => {
  response.setHeader('content-type', 'text/html')
  response.end('<!doctype html><title>Reader</title><h1>Reader</h1>')
})
await once(application.listen(0, '127.0.0.1'), 'listening')
// A TCP server has this form of address.
const redirectUri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/back`
const company = makeTestCompany({ ...pages, redirectUri }, provider)
const clientId = await pages.application('Reader', { redirectUris: [redirectUri], origins: [] })
let browser: Browser
before(async () => {
  await ensureOwnClients(storage)
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await pages.close()
  await provider.close()
  application.close()
})

const withPage = async (locale: string, use: (page: Page) => Promise<void>) => {
  provider.reset()
  const context = await browser.newContext({ locale })
  context.setDefaultTimeout(stepMsMax)
  await use(await context.newPage())
  await context.close()
}

const authorizeUrl = (clientId: string, parameters: Record<string, string> = {}): string => {
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid email',
    state: 's',
    resource: pages.baseUrl,
    code_challenge: newPkce().challenge,
    code_challenge_method: 'S256',
    ...parameters,
  })
  return `${authUrl}/authorize?${query}`
}
const consoleUrl = (): string =>
  authorizeUrl('console', {
    redirect_uri: `${authUrl}/console/callback`,
    scope: 'openid',
    resource: `${authUrl}/manage/`,
  })

const press = (page: Page, action: string) => page.locator(`button[value=${action}]`).first().click()
/** Types the address; the provider answers at once. */
const typeAddress = async (page: Page, email: string) => {
  await page.locator('[name=email]').fill(email)
  await press(page, 'next')
}
const signIn = async (page: Page, email: string) => {
  await page.locator('[name=email]').fill(email)
  await page.locator('[name=password]').fill(goodPassword)
  await press(page, 'sign-in')
}
const waitForAlert = (page: Page) => page.getByRole('alert').waitFor()

for (const locale of ['en', 'nl']) {
  const inspectPage = (page: Page, name: string) =>
    inspect(page, locale === 'en' ? name : `${name} (${locale})`)

  test(`pages of a workspace's own OpenID provider in "${locale}": axe finds nothing, and nothing overflows`, async () => {
    const { id } = await company.openApplication({ name: 'Analytical Engine Company' })
    const person = (claims: Record<string, unknown> = {}) => ({
      sub: randomUUID(),
      email: company.newEmail(),
      email_verified: true,
      groups: ['staff'],
      ...claims,
    })
    await withPage(locale, async page => {
      await page.goto(authorizeUrl(id))
      await typeAddress(page, company.newEmail('elsewhere.example'))
      await page.locator('[name=password]').waitFor()
      await inspectPage(page, 'provider-other-domain')
    })

    const faultyAnswers: Record<string, () => Record<string, unknown>> = {
      denied: () => {
        provider.says.error = 'access_denied'
        return person()
      },
      refused: () => {
        provider.says.isForged = true
        return person()
      },
      'email-missing': () => person({ email: undefined }),
      'email-unverified': () => {
        provider.says.idToken = { email_verified: false }
        return person()
      },
      domain: () => person({ email: company.newEmail('victim.example') }),
      'no-access': () => person({ groups: [] }),
    }
    for (const [fault, prepare] of Object.entries(faultyAnswers))
      await withPage(locale, async page => {
        provider.says.claims = prepare()
        await page.goto(authorizeUrl(id))
        await typeAddress(page, company.newEmail())
        await waitForAlert(page)
        await inspectPage(page, `provider-${fault}`)
      })
    await withPage(locale, async page => {
      const down = await company.openApplication({ name: 'Corp', issuer: 'http://127.0.0.1:9' })
      await page.goto(authorizeUrl(down.id))
      await typeAddress(page, company.newEmail())
      await waitForAlert(page)
      await inspectPage(page, 'provider-down')
    })

    const earlier = person()
    await withPage(locale, async page => {
      provider.says.claims = earlier
      await page.goto(authorizeUrl(id))
      await typeAddress(page, earlier.email)
      await page.getByRole('heading', { name: 'Reader', exact: true }).waitFor()
      await page.goto(`${authUrl}/factors`)
      await page.locator('main a.button').waitFor()
      await inspectPage(page, 'provider-account')
    })
    await withPage(locale, async page => {
      provider.says.claims = { ...earlier, sub: randomUUID() }
      await page.goto(authorizeUrl(id))
      await typeAddress(page, earlier.email)
      await waitForAlert(page)
      await inspectPage(page, 'provider-other-person')
    })
    await withPage(locale, async page => {
      const user = await findUserByEmail(storage.db, earlier.email)
      await storage.write(writer => setUserDisabled(writer, user?.id ?? '', true))
      provider.says.claims = earlier
      await page.goto(authorizeUrl(id))
      await typeAddress(page, earlier.email)
      await waitForAlert(page)
      await inspectPage(page, 'provider-disabled')
    })
    await withPage(locale, async page => {
      const strict = await company.openApplication({}, { requireSecondFactor: true })
      provider.says.claims = person()
      await page.goto(authorizeUrl(strict.id))
      await typeAddress(page, company.newEmail())
      await page.locator('main a.button').waitFor()
      await inspectPage(page, 'provider-one-factor')
    })
    await withPage(locale, async page => {
      const domain = `d${randomUUID().slice(0, 8)}.example`
      await company.openApplication({ name: 'Analytical Engine Company', domains: [domain] })
      await company.openApplication({ name: 'Corp', domains: [domain] })
      await page.goto(consoleUrl())
      await inspectPage(page, 'provider-organization')
      await page.locator('[name=email]').fill('ada@unknown.example')
      await press(page, 'organization')
      await waitForAlert(page)
      await inspectPage(page, 'provider-none')
      await page.locator('[name=email]').fill(company.newEmail(domain))
      await press(page, 'organization')
      await page.locator('button[value=provider]').nth(1).waitFor()
      await inspectPage(page, 'provider-choice')
    })
  })

  test(`pages that confirm a changed e-mail address in "${locale}": axe finds nothing, and nothing overflows`, async () => {
    const { id: userId, email } = await pages.newPerson()
    const link = async () => {
      const values = {
        purpose: 'email',
        userId,
        email: company.newEmail('new.example'),
        ttlMs: 60_000,
      } as const
      const { token } = await storage.write(writer => createOneTimeLink(writer, values))
      return `${authUrl}/email/confirm/${token}`
    }
    await withPage(locale, async page => {
      await page.goto(await link())
      await signIn(page, email)
      await page.locator('button[value=confirm]').waitFor()
      await inspectPage(page, 'email-confirm')
      await press(page, 'confirm')
      await page.locator('main a.button').waitFor()
      await inspectPage(page, 'email-changed')
      await page.goto(`${authUrl}/email/confirm/none`)
      await inspectPage(page, 'email-gone')
    })
    const stranger = await pages.newPerson()
    await withPage(locale, async page => {
      await page.goto(authorizeUrl(clientId))
      await signIn(page, stranger.email)
      await press(page, 'allow')
      await page.getByRole('heading', { name: 'Reader', exact: true }).waitFor()
      await page.goto(await link())
      await inspectPage(page, 'email-other-account')
    })
  })

  test(`pages of signing out and errors of forms in "${locale}": axe finds nothing, and nothing overflows`, async () => {
    const { email } = await pages.newPerson()
    await withPage(locale, async page => {
      await page.goto(authorizeUrl(clientId))
      await signIn(page, email)
      await press(page, 'allow')
      await page.getByRole('heading', { name: 'Reader', exact: true }).waitFor()
      const logout = `${authUrl}/logout?client_id=${clientId}`
      await page.goto(`${logout}&post_logout_redirect_uri=https://evil.example/`)
      await inspectPage(page, 'logout-request')
      await page.goto(`${authUrl}/logout?id_token_hint=none`)
      await inspectPage(page, 'logout-hint')
      await page.goto(logout)
      await inspectPage(page, 'logout-application')
      await page.locator('main button').click()
      await page.locator('main button').waitFor({ state: 'detached' })
      await inspectPage(page, 'logged-out-application')
    })
    await withPage(locale, async page => {
      const submit = (value: string) =>
        page.evaluate(`(() => {
          const form = document.createElement('form')
          form.method = 'post'
          form.action = '/password/forgot'
          const field = document.createElement('input')
          field.name = 'email'
          field.value = ${value}
          form.append(field)
          document.body.append(form)
          form.submit()
        })()`)
      await page.goto(`${authUrl}/password/forgot`)
      await submit("'ada@example.org'")
      await page.locator('.details').waitFor()
      await inspectPage(page, 'forged')
      await page.goto(`${authUrl}/password/forgot`)
      await submit("'x'.repeat(20000)")
      await page.locator('.details').waitFor()
      await inspectPage(page, 'too-long')
    })
  })
}
