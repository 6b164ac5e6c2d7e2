/** The sign-in log of the pages and of the token endpoint, and the mails about sign-ins. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { listSignIns, type SignInRow } from '#storage/sign-in-log'
import { goodPassword, type Pages, startPages } from './test-pages.ts'

let pages: Pages
before(async () => {
  pages = await startPages()
})
after(() => pages.close())

const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
const readLog = async (filter: Partial<Parameters<typeof listSignIns>[1]> = {}): Promise<SignInRow[]> => {
  await pages.signInLog.flush()
  return (await listSignIns(pages.storage.db, { scope: 'all', count: 1000, ...filter })).toReversed()
}
const ofPerson = async ({ id }: { id: string }) =>
  (await readLog({ user: id })).map(({ kind, result, method }) => [kind, result, method].join(' '))
const mailsTo = ({ email }: { email: string }) =>
  pages.letters.filter(({ to }) => to === email).map(({ subject }) => subject)
/** Notices go out after the reply. */
const settle = () => pages.noticesSettled()

test('a sign-in is recorded with person, application, workspace, address and browser', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader(firefox)
  const login = await reader.authorize()
  await reader.signIn(login, person.email, 'wrong')
  await reader.signIn(login, person.email)
  const [failure, success] = await readLog({ user: person.id })
  assert.ok(failure && success)
  const { id: _id, at, request_id, ...facts } = success
  assert.ok(Math.abs(at - Date.now()) < 60_000)
  assert.match(request_id, /^[0-9a-f-]{36}$/)
  assert.deepEqual(facts, {
    kind: 'sign-in',
    result: 'ok',
    failed: 0,
    method: 'password',
    user_id: person.id,
    client_id: pages.clientId,
    workspace_id: pages.workspace.id,
    source: person.id,
    address: '192.0.2.1',
    browser: 'Firefox 145',
    system: 'Linux',
  })
  assert.deepEqual([failure.result, failure.failed, failure.source], ['wrong-password', 1, '192.0.2.1'])
})

test('the log has nothing that was typed: no password, code, or address without an account', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const login = await reader.authorize()
  const typed = 'hunter2-typed-as-address@example.org'
  await reader.signIn(login, typed, 'hunter2-secret')
  await reader.signIn(login, person.email, 'hunter2-secret')
  const app = await pages.giveApp(person)
  const code = await reader.signIn(login, person.email)
  await reader.send(code, { code: '000000' })
  await reader.send(code, { code: app() })
  const text = JSON.stringify(await readLog())
  for (const secret of ['hunter2', goodPassword, app(), 'example.org'])
    assert.ok(!text.includes(secret), secret)
  assert.deepEqual(await ofPerson(person), [
    'sign-in wrong-password password',
    'sign-in second-factor-needed password',
    'second-factor wrong-code code',
    'second-factor ok code',
  ])
})

test('a use of the session for an application, a refusal of a stranger, and a rejected token request are recorded', async () => {
  const [person, stranger] = [await pages.newPerson(), await pages.newPerson({ isMember: false })]
  const reader = pages.openReader()
  await reader.send(await reader.signIn(await reader.authorize(), person.email), { action: 'allow' })
  // A page that is reloaded does this each time. The sign-in is in the log already.
  for (let reload = 0; reload < 3; reload++) assert.ok((await reader.authorize()).parameters.code)
  assert.deepEqual(await ofPerson(person), ['sign-in ok password'])
  const secondClient = { client_id: await pages.application('Other') }
  await reader.send(await reader.authorize(secondClient), { action: 'allow' })
  for (let reload = 0; reload < 3; reload++) assert.ok((await reader.authorize(secondClient)).parameters.code)
  assert.deepEqual(await ofPerson(person), ['sign-in ok password', 'sign-in ok session'])
  const strangerReader = pages.openReader()
  await strangerReader.signIn(await strangerReader.authorize(), stranger.email)
  assert.deepEqual(await ofPerson(stranger), ['sign-in ok password', 'refusal not-a-member '])
  await pages.form(
    '/oauth/token',
    `grant_type=authorization_code&client_id=${pages.clientId}&code=none&code_verifier=none&redirect_uri=x`,
  )
  const [rejected] = await readLog({ kind: 'token' })
  assert.deepEqual(
    [rejected?.result, rejected?.client_id, rejected?.workspace_id],
    ['invalid_grant', pages.clientId, pages.workspace.id],
  )
})

test('silent renewal that finds nobody signed in is no refusal', async () => {
  const { length } = await readLog()
  const reader = pages.openReader()
  assert.equal((await reader.authorize({ prompt: 'none' })).parameters.error, 'login_required')
  assert.equal((await readLog()).length, length)
})

test('a sign-in in a browser that was not known sends a mail, one in the same browser does not', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader(firefox)
  await reader.signIn(await reader.authorize(), person.email)
  await settle()
  const mail = pages.letters.find(({ to }) => to === person.email)
  assert.match(mail?.text ?? '', /Firefox 145, Linux\nIP address: 192\.0\.2\.1/)
  await reader.signIn(await reader.authorize({ prompt: 'login' }), person.email)
  await settle()
  assert.equal(mailsTo(person).length, 1)
})

test('many wrong passwords send one mail to the person, however many follow', async () => {
  const person = await pages.newPerson()
  pages.from.address = '192.0.2.77'
  const reader = pages.openReader()
  const login = await reader.authorize()
  for (let attempt = 0; attempt < 14; attempt++) await reader.signIn(login, person.email, `wrong ${attempt}`)
  await settle()
  assert.equal(mailsTo(person).length, 1)
  assert.match(pages.letters.at(-1)?.text ?? '', /console\/you/)
  const results = await ofPerson(person)
  assert.equal(results.filter(text => text.includes('wrong-password')).length, 10)
  assert.equal(results.filter(text => text.includes('throttled')).length, 4)
})

test('a network that tries one password on many accounts sends no mail to their owners', async () => {
  pages.from.address = '192.0.2.78'
  const people = await Promise.all(Array.from({ length: 3 }, () => pages.newPerson()))
  const reader = pages.openReader()
  const login = await reader.authorize()
  for (let attempt = 0; attempt < 102; attempt++)
    await reader.signIn(login, `none${attempt}@example.org`, 'x')
  for (const { email } of people) await reader.signIn(login, email, 'x')
  await settle()
  assert.deepEqual(people.flatMap(mailsTo), [])
})

test('wrong codes up to the limit send one mail: somebody knows the password', async () => {
  pages.from.address = '192.0.2.79'
  const person = await pages.newPerson()
  await pages.giveApp(person)
  const reader = pages.openReader()
  const code = await reader.signIn(await reader.authorize(), person.email)
  for (let attempt = 0; attempt < 13; attempt++) await reader.send(code, { code: `0000${10 + attempt}` })
  await settle()
  assert.equal(mailsTo(person).length, 1)
})

test('a mail server that never answers delays no sign-in', async () => {
  const slow = await startPages({ mailHangs: true })
  const person = await slow.newPerson()
  const reader = slow.openReader()
  const consent = await reader.signIn(await reader.authorize(), person.email)
  assert.match(consent.text, /name="action" value="allow"/)
  assert.equal(slow.letters.length, 0)
  await slow.close()
})
