/** A form that a browser sends twice (double click, reload) works once, and both requests get the same reply. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { openAuthorizationServer } from '#oauth/provider/provider'
import { createOneTimeLink } from '#storage/one-time-links'
import { countRecoveryCodes } from '#storage/second-factors'
import { listUserSessions } from '#storage/sessions'
import { makeForms } from './test-forms.ts'
import { goodPassword, type Pages, readFormToken, type ShownPage, startPages } from './test-pages.ts'

let pages: Pages
before(async () => {
  pages = await startPages()
})
after(() => pages.close())

type Reader = ReturnType<Pages['openReader']>

interface RawReply {
  status: number
  location: string | null
  cookies: string[]
  text: string
}

/** The cookies that the browser sends to the page, as they are now. */
const readCookies = (reader: Reader, pathname: string): string =>
  [...reader.jar]
    .filter(([, { path }]) => pathname.startsWith(path))
    .map(([key, { value }]) => `${key.slice(0, key.indexOf(' '))}=${value}`)
    .join('; ')

/** Sends a request and follows nothing, as a browser does whose next click drops the answer. */
const sendRaw = async (
  address: string,
  cookie: string,
  fields?: Record<string, string>,
  { origin = pages.authUrl, node = pages.authUrl } = {},
): Promise<RawReply> => {
  const response = await fetch(new URL(address, node), {
    redirect: 'manual',
    headers: { accept: 'text/html', cookie, ...(fields && { origin }) },
    ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
  })
  const { status, headers } = response
  return {
    status,
    location: headers.get('location'),
    cookies: headers.getSetCookie(),
    text: (await response.text()).replaceAll(/<code>[0-9a-f-]{36}</g, ''),
  }
}

const three = <T>(work: () => Promise<T>): Promise<T[]> => Promise.all([work(), work(), work()])

/** Takes the cookies of a reply into the browser. */
const keepCookies = (reader: Reader, { cookies }: RawReply): void => {
  for (const line of cookies) {
    const [pair = '', ...attributes] = line.split('; ')
    const path = attributes.find(attribute => /^path=/i.test(attribute))?.slice(5) ?? '/'
    const name = pair.slice(0, pair.indexOf('='))
    reader.jar.set(`${name} ${path}`, { value: pair.slice(name.length + 1), path })
  }
}

const assertSame = (replies: readonly RawReply[]): RawReply => {
  const [first, ...repeatedReplies] = replies
  assert.ok(first)
  for (const repeatedReply of repeatedReplies) assert.deepEqual(repeatedReply, first)
  return first
}

const sendThrice = async (reader: Reader, page: ShownPage, fields: Record<string, string>) => {
  const cookie = readCookies(reader, page.url.pathname)
  const allFields = { form_token: readFormToken(page), ...fields }
  const replies = await three(() => sendRaw(page.url.pathname + page.url.search, cookie, allFields))
  const first = assertSame(replies)
  const stranger = await sendRaw(page.url.pathname + page.url.search, '', allFields)
  assert.equal(stranger.status, 403, 'the body without the cookies gets nothing')
  assert.deepEqual(stranger.location, null)
  const foreign = await sendRaw(page.url.pathname + page.url.search, cookie, allFields, {
    origin: 'https://evil.example',
  })
  assert.equal(foreign.status, 403)
  return { reply: first, again: () => sendRaw(page.url.pathname + page.url.search, cookie, allFields) }
}

for (const [name, open] of Object.entries(makeForms(() => pages)))
  test(`three requests with the form "${name}" get one reply`, async () => {
    const { reader, page, fields } = await open()
    const { reply, again } = await sendThrice(reader, page, fields)
    assert.ok(reply.status < 400, reply.text)
    assertSame([reply, await again()])
  })

const openForm = (name: string) => {
  const open = makeForms(() => pages)[name]
  assert.ok(open)
  return open()
}

test('sign-in and consent: one session and one code, and the person is signed in at the end', async () => {
  const reader = pages.openReader()
  const person = await pages.newPerson()
  const login = await reader.authorize()
  const fields = { action: 'sign-in', email: person.email, password: goodPassword }
  const { reply } = await sendThrice(reader, login, fields)
  keepCookies(reader, reply)
  const resume = new URL(reply.location ?? '', pages.authUrl).pathname
  const resumed = assertSame(await three(() => sendRaw(resume, readCookies(reader, resume))))
  keepCookies(reader, resumed)
  assert.equal((await listUserSessions(pages.storage.db, person.id)).length, 1)
  const consent = await reader.go(resumed.location ?? '')
  const allowed = (await sendThrice(reader, consent, { action: 'allow' })).reply
  keepCookies(reader, allowed)
  const last = new URL(allowed.location ?? '', pages.authUrl).pathname
  const landed = assertSame(await three(() => sendRaw(last, readCookies(reader, last))))
  assert.ok(new URL(landed.location ?? '').searchParams.get('code'))
  assert.equal((await sendRaw(last, '')).location, null, 'nothing for another browser')
  keepCookies(reader, landed)
  assert.ok((await reader.authorize({ prompt: 'none' })).parameters.code)
})

test('a wrong password and a wrong code are checked and counted once', async () => {
  const reader = pages.openReader()
  const person = await pages.newPerson()
  await pages.giveApp(person)
  const login = await reader.authorize()
  const verifiedBefore = pages.verified.length
  await sendThrice(reader, login, { action: 'sign-in', email: person.email, password: 'wrong one' })
  assert.equal(pages.verified.length - verifiedBefore, 1)
  const code = await reader.signIn(login, person.email)
  for (let repetition = 0; repetition < 4; repetition++) {
    const { reply } = await sendThrice(reader, code, { code: '000001' })
    keepCookies(reader, reply)
    assert.equal((await reader.go(code.url.pathname)).status, 422, 'not 429: twelve codes count once')
  }
})

test('a recovery code is used up once, and signs in', async () => {
  const reader = pages.openReader()
  const person = await pages.newPerson()
  await pages.giveApp(person)
  const [recoveryCode = ''] = await pages.giveRecoveryCodes(person)
  const page = await reader.signIn(await reader.authorize(), person.email)
  const { reply } = await sendThrice(reader, page, { code: recoveryCode })
  assert.match(reply.location ?? '', /\/authorize\//)
  assert.equal(await countRecoveryCodes(pages.storage.db, person.id), 9)
})

test('an invitation: the one who joins is a member, and signed in by the second reply', async () => {
  const { reader, page, fields } = await openForm('invitation')
  const { again } = await sendThrice(reader, page, fields)
  const reply = await again()
  assert.match(reply.location ?? '', /\/joined$/)
  keepCookies(reader, reply)
  assert.ok((await reader.go(reply.location ?? '')).text.includes('href="/console'))
  assert.ok((await reader.go('/factors')).text.includes('<h1>'))
  assert.equal((await reader.go('/factors')).url.pathname, '/factors')
})

test('a forgotten password: one mail', async () => {
  const reader = pages.openReader()
  const { email } = await pages.newPerson()
  const page = await reader.go('/password/forgot')
  await sendThrice(reader, page, { action: 'send', email })
  await pages.noticesSettled()
  assert.equal(pages.letters.filter(({ to }) => to === email).length, 1)
})

test('a new email address is confirmed once', async () => {
  const reader = pages.openReader()
  const person = await pages.newPerson()
  const { token } = await pages.storage.write(writer =>
    createOneTimeLink(writer, {
      purpose: 'email',
      userId: person.id,
      ttlMs: 60_000,
      mailed: true,
      email: 'twice@example.net',
    }),
  )
  const page = await reader.signIn(await reader.go(`/email/confirm/${token}`), person.email)
  const { reply } = await sendThrice(reader, page, { action: 'confirm' })
  assert.match(reply.location ?? '', /\/email\/confirmed$/)
})

test('signing out: the question may be sent twice, and earlier forms get no reply any more', async () => {
  const reader = pages.openReader()
  const person = await pages.newPerson()
  const login = await reader.authorize()
  const signedIn = await sendThrice(reader, login, {
    action: 'sign-in',
    email: person.email,
    password: goodPassword,
  })
  keepCookies(reader, signedIn.reply)
  await reader.go(signedIn.reply.location ?? '')
  const question = await reader.go('/logout')
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(question.text)?.[1] ?? ''
  const cookie = readCookies(reader, '/logout/confirm')
  const confirm = () => sendRaw('/logout/confirm', cookie, { xsrf, logout: 'yes' })
  const reply = assertSame(await three(confirm))
  assert.match(reply.location ?? '', /\/logout\/success/)
  assertSame([reply, await confirm()])
  const late = await signedIn.again()
  assert.notDeepEqual(late, signedIn.reply)
  assert.equal(late.status, 400)
  assert.equal(late.location, null)
})

test('a device code may be sent twice, on both pages', async () => {
  const clientId = await pages.application('Tool', { type: 'native', own: true })
  const started = await pages.form('/oauth/device/code', `client_id=${clientId}&scope=openid`)
  const userCode = String(started.json.user_code)
  const reader = pages.openReader()
  const person = await pages.newPerson()
  await reader.signIn(await reader.authorize(), person.email)
  const readXsrf = ({ text }: { text: string }) => /name="xsrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const xsrf = readXsrf(await reader.go('/activate'))
  const typed = () => sendRaw('/activate', readCookies(reader, '/activate'), { xsrf, user_code: userCode })
  const page = assertSame(await three(typed))
  assertSame([page, await typed()])
  keepCookies(reader, page)
  const cookie = readCookies(reader, '/activate')
  const confirmed = () =>
    sendRaw('/activate', cookie, { xsrf: readXsrf(page), user_code: userCode, confirm: 'yes' })
  const reply = assertSame(await three(confirmed))
  assert.ok(reply.status < 400, reply.text)
  assertSame([reply, await confirmed()])
})

test('another form of the page, other values and half a minute end it', async t => {
  const reader = pages.openReader()
  const person = await pages.newPerson()
  const login = await reader.authorize()
  const attempt = (password: string) =>
    sendRaw(login.url.pathname, readCookies(reader, login.url.pathname), {
      form_token: readFormToken(login),
      action: 'sign-in',
      email: person.email,
      password,
    })
  const countChecks = async (passwords: string[]) => {
    const verifiedBefore = pages.verified.length
    for (const password of passwords) await attempt(password)
    return pages.verified.length - verifiedBefore
  }
  assert.equal(await countChecks(['one', 'one']), 1)
  assert.equal(await countChecks(['two', 'one', 'two', 'two']), 3)
  const now = Date.now()
  t.mock.timers.enable({ apis: ['Date'], now: now + 31_000 })
  assert.equal(await countChecks(['two']), 1)
})

test('a browser that hangs up does not stop the work', async () => {
  const { reader, page, fields } = await openForm('invitation')
  const controller = new AbortController()
  const address = new URL(page.url.pathname, pages.authUrl)
  const cookie = readCookies(reader, page.url.pathname)
  const allFields = { form_token: readFormToken(page), ...fields }
  const dropped = fetch(address, {
    method: 'POST',
    redirect: 'manual',
    signal: controller.signal,
    headers: { origin: pages.authUrl, cookie },
    body: new URLSearchParams(allFields),
  }).catch(() => undefined)
  await new Promise(resolve => pages.http.once('request', resolve))
  controller.abort()
  await dropped
  const reply = await sendRaw(page.url.pathname, cookie, allFields)
  assert.match(reply.location ?? '', /\/joined$/)
})

test('two nodes that get the same form at the same moment do the work once', async t => {
  const otherNode = await openAuthorizationServer(pages.dependencies)
  const http = createServer((request, response) => otherNode.handle(request, response))
  await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
  t.after(async () => {
    http.close()
    http.closeAllConnections()
    await otherNode.close()
  })
  // A TCP server has an address of this form once it listens.
  const { port } = http.address() as AddressInfo
  const nodes = [pages.authUrl, `http://127.0.0.1:${port}`, pages.authUrl, `http://127.0.0.1:${port}`]
  const { reader, page, fields } = await openForm('invitation')
  const cookie = readCookies(reader, page.url.pathname)
  const allFields = { form_token: readFormToken(page), ...fields }
  const replies = await Promise.all(
    nodes.map(node => sendRaw(page.url.pathname, cookie, allFields, { node })),
  )
  assert.match(assertSame(replies).location ?? '', /\/joined$/)
})
