import assert from 'node:assert/strict'
import { test } from 'node:test'
import { consentPage } from './consent-page.ts'
import { errorPage } from './error-page.ts'
import { html } from './html.ts'
import { chooseLocale } from './language.ts'
import { logoutPage } from './logout-pages.ts'
import { renderPage } from './page.ts'
import { withoutOurScripts } from './test-scripts.ts'

const english = { acceptLanguage: undefined, uiLocales: undefined }

test('values in a page are escaped, except for HTML of the page itself', () => {
  const evil = `"><script>alert('1')</script>`
  assert.equal(
    html`<p title="${evil}">${[html`<b>${evil}</b>`, undefined, false, 3]}</p>`.text,
    '<p title="&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;"><b>&#34;&#62;&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;</b>3</p>',
  )
})

const languages: [{ acceptLanguage?: string; uiLocales?: string }, string][] = [
  [{}, 'en'],
  [{ acceptLanguage: 'nl' }, 'nl'],
  [{ acceptLanguage: 'fr, nl-BE;q=0.8, en;q=0.9' }, 'en'],
  [{ acceptLanguage: 'fr, NL-be;q=0.9, en;q=0.8' }, 'nl'],
  [{ acceptLanguage: 'nl;q=0, en;q=0.1' }, 'en'],
  [{ acceptLanguage: 'nl', uiLocales: 'fr en-GB' }, 'en'],
  [{ acceptLanguage: '*;q=x,,;' }, 'en'],
]
for (const [reader, language] of languages)
  test(`${JSON.stringify(reader)} reads ${language}`, () => {
    assert.equal(chooseLocale({ ...english, ...reader }).language, language)
  })

test('a form submits to this origin only, except if it ends at an application', () => {
  const renderPolicy = (more: object) =>
    renderPage(chooseLocale(english), { title: 'T', main: html``, ...more }).headers[
      'content-security-policy'
    ]
  assert.match(renderPolicy({}) ?? '', /; form-action 'self';/)
  assert.doesNotMatch(renderPolicy({ leadsToApplication: true }) ?? '', /form-action|script/)
})

test('clickjacking: each page refuses to be framed, runs no script but ours and is kept by nobody', () => {
  const { headers, body } = logoutPage({ action: '/logout/confirm', xsrf: 'x', application: 'A' }, english)
  assert.match(headers['content-security-policy'] ?? '', /default-src 'none'.*frame-ancestors 'none'/)
  assert.equal(headers['x-frame-options'], 'DENY')
  assert.equal(headers['cache-control'], 'no-store')
  assert.doesNotMatch(withoutOurScripts(body), /<script|javascript:| on[a-z]+=/i)
})

test('an error in Dutch says what happened, what to do, and its number; of a description without Dutch words it says that it is English', () => {
  const facts = { status: 400, error: 'invalid_request', description: '<b>no</b>', requestId: 'r-1' }
  const { status, body } = errorPage(facts, { ...english, acceptLanguage: 'nl' })
  assert.equal(status, 400)
  assert.match(body, /<html lang="nl">/)
  assert.match(body, /alleen in het Engels:<\/dd>\n<dd lang="en">&#60;b&#62;no/)
  assert.match(body, /r-1/)
  const fault = errorPage({ ...facts, status: 500, description: 'inner workings' }, english)
  assert.doesNotMatch(fault.body, /inner workings/)
})

test('consent names application, workspace, host and each permission once', () => {
  const { body } = consentPage(chooseLocale(english), {
    consentRequest: {
      application: {
        clientId: 'c',
        title: 'Reader <1>',
        workspace: { slug: 'library', title: 'The & library', definition: { workspace: 'library' } },
        sendsBackTo: 'https://app.example',
      },
      scopes: ['openid', 'email', 'offline_access'],
      claims: ['email', 'email_verified', 'unheard_of'],
      resources: ['https://q.example/', 'https://q.example/4/library/api/books', 'https://a.example/manage/'],
    },
    token: 't',
    email: 'ada@example.org',
    otherAccountUrl: '?account=other',
    isUndecided: false,
    baseUrl: 'https://q.example',
    authUrl: 'https://a.example',
  })
  assert.match(body, /Allow Reader &#60;1&#62; to access your account\?/)
  assert.match(body, /The &#38; library/)
  assert.match(body, /return to app\.example/)
  assert.deepEqual(
    [...body.matchAll(/<li>(.*)<\/li>/g)].map(([, text]) => text),
    [
      'search on your behalf everything you can search in this workspace',
      'search https://q.example/4/library/api/books on your behalf',
      'change on your behalf everything you can change on this server',
      'see your e-mail address',
      'see your unheard_of',
      'recognize you when you return',
      'keep this access while you are away, until you withdraw it',
    ],
  )
})

test('consent to an unregistered application shows the host of its document by itself', () => {
  const { body } = consentPage(chooseLocale(english), {
    consentRequest: {
      application: {
        clientId: 'https://agent.example:8443/client.json',
        title: 'Agent of <b>bank.example</b> (agent.example:8443)',
        host: 'agent.example:8443',
        workspace: { slug: 'library', title: 'The & library', definition: { workspace: 'library' } },
        sendsBackTo: 'http://127.0.0.1:5100',
      },
      scopes: ['openid'],
      claims: [],
      resources: ['https://q.example/4/library'],
    },
    token: 't',
    email: 'ada@example.org',
    otherAccountUrl: '?account=other',
    isUndecided: false,
    baseUrl: 'https://q.example',
    authUrl: 'https://a.example',
  })
  assert.match(body, /<p class="host"><strong>agent\.example:8443<\/strong><\/p>/)
  assert.match(body, /not registered with the workspace The &#38; library/)
  assert.doesNotMatch(body, /<b>bank/)
  assert.match(body, /return to 127\.0\.0\.1:5100/)
})
