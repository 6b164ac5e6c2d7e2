import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createRecordEncryption } from '#keys/record-encryption'
import { languages } from '#languages/languages'
import { openStorage, type Storage } from '#storage/db'
import { waitUntil } from '#test-wait'
import { type MailSettings, openMailer } from './mail.ts'
import { renderMailHtml } from './mail-html.ts'
import { mailTemplates } from './mail-templates.ts'
import { openTestMailServer } from './test-mail.ts'

const mailFrom = 'Search <search@example.org>'
const letter = {
  to: 'ada@example.org',
  purpose: 'passwordReset',
  subject: 'Grüße',
  text: 'https://x.example/secret-link\n',
}

let folder: string
let storage: Storage
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-mail-'))
  storage = await openStorage({ file: join(folder, 'querent.sqlite') })
})
after(async () => {
  await storage.close()
  await rm(folder, { recursive: true })
})
const secretKey = randomBytes(32)
const encryption = createRecordEncryption({ derive: () => secretKey })

/** A mailer of a node that shares the storage with others. */
const openNode = (settings: MailSettings) => {
  const lines: unknown[][] = []
  const outcomes: string[] = []
  const log = { info: () => {}, warn: (...line: unknown[]) => void lines.push(line) }
  const count = (outcome: string) => void outcomes.push(outcome)
  return { lines, outcomes, mail: openMailer(settings, { storage, encryption, log, count, pollMs: 10 }) }
}
const stored = () => storage.db.selectFrom('mails').selectAll().execute()
/** As if the time of the next attempt had come. */
const makeDue = () => storage.db.updateTable('mails').set({ due_at: Date.now() }).execute()
const serve = async (options?: Parameters<typeof openTestMailServer>[0]) => {
  const server = await openTestMailServer(options)
  after(() => server.close())
  return server
}

test('a letter arrives whole, at its address, from the sender, marked as automatic', async () => {
  const server = await serve({ account: { user: 'me@x', password: 'p:@/ss' } })
  const { lines, mail } = openNode({ smtpUrl: server.smtpUrl, mailFrom })
  assert.deepEqual([mail.isAvailable, await mail.send(letter)], [true, 'accepted'])
  await mail.close()
  const [received] = server.letters
  assert.deepEqual([received?.to, received?.user, lines], [['ada@example.org'], 'me@x', []])
  assert.match(received?.content ?? '', /^From: Search <search@example\.org>\r?$/m)
  assert.match(received?.content ?? '', /^Auto-Submitted: auto-generated\r?$/m)
  assert.match(received?.content ?? '', /^https:\/\/x\.example\/secret-link\r?$/m)
})

/** Text of HTML, as a mail program shows it. */
const readHtml = (html: string): string =>
  html
    .slice(html.indexOf('<h1'))
    .replaceAll('\n', '')
    .replaceAll('<br>', '\n')
    .replaceAll(/<\/(?:p|h1)>/g, '\n\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
    .trim()

test('each mail has a text and an HTML part, which say the same in the language of the mail', async () => {
  const server = await serve()
  const { mail } = openNode({ smtpUrl: server.smtpUrl, mailFrom })
  const facts = {
    workspace: 'R&D <b>',
    inviter: 'Ada "A"',
    url: 'https://x.example/i/t?a=1&b=2',
    expiresAt: 0,
  }
  for (const language of languages) {
    const content = mailTemplates(language).invitation(facts)
    await mail.send({ to: 'ada@example.org', ...content, sender: 'R&D' })
    const html = renderMailHtml({ ...content, sender: 'R&D' })
    assert.equal(readHtml(html), `${content.subject}\n\n${content.text.trim()}`)
    const received = server.letters.at(-1)?.content ?? ''
    assert.match(received, /multipart\/alternative/)
    assert.ok(received.indexOf('text/plain') < received.indexOf('text/html'))
    assert.ok(received.replaceAll('\r', '').includes(html.trim()))
    assert.match(html, new RegExp(`<html lang="${language}">`))
  }
  await mail.close()
})

test('the HTML part loads nothing, and what others typed in it is text', () => {
  const html = renderMailHtml({
    subject: '<img src=x>',
    text: 'Hello "<script>",\n\nopen https://x.example/"onclick="y and go.\n',
    language: 'en',
    sender: '<b>Evil</b>',
  })
  assert.doesNotMatch(html, /<(?:img|script|link|b|iframe)\b|@import|url\(|src=[^x]/)
  assert.match(html, /<a href="https:\/\/x\.example\/&quot;onclick=&quot;y"/)
  for (const [, url] of html.matchAll(/href="([^"]*)"/g)) assert.match(url ?? '', /^https:\/\/x\.example\//)
})

test('an address with a comma is one recipient, never two', async () => {
  const server = await serve()
  const { mail } = openNode({ smtpUrl: server.smtpUrl, mailFrom })
  await mail.send({ ...letter, to: 'ada,eve@example.org' })
  await mail.close()
  assert.ok(
    server.letters.every(({ to: recipient }) => recipient.length === 1 && recipient[0] !== 'eve@example.org'),
  )
})

test('a failure is logged with purpose, request and domain, without address, link or password, and never thrown', async () => {
  const server = await serve({ account: { user: 'me', password: 'hush' }, refuse: () => true })
  const down = await openTestMailServer()
  await down.close()
  const expected = [
    [server.smtpUrl, 'rejected', 'EENVELOPE'],
    [server.smtpUrl.replace('hush', 'hushed'), 'waiting', 'EAUTH'],
    [down.smtpUrl, 'waiting', 'ESOCKET'],
  ]
  for (const [smtpUrl, outcome, code] of expected) {
    const { lines, mail } = openNode({ smtpUrl, mailFrom })
    assert.equal(await mail.send({ ...letter, requestId: 'request-1' }), outcome)
    await mail.close()
    const [[facts] = []] = lines
    const { purpose, domain, requestId, code: loggedCode } = Object(facts)
    assert.deepEqual(
      [purpose, domain, requestId, loggedCode, lines.length],
      ['passwordReset', 'example.org', 'request-1', code, 1],
    )
    assert.doesNotMatch(JSON.stringify(lines), /ada@|secret-link|hush/)
  }
  await storage.db.deleteFrom('mails').execute()
})

test('a mail that is refused for now (451, greylisting) is sent again later, once', async () => {
  const busy = { is: true }
  const server = await serve({ refuse: () => busy.is && 451 })
  const { lines, outcomes, mail } = openNode({ smtpUrl: server.smtpUrl, mailFrom })
  assert.equal(await mail.send(letter), 'waiting')
  const [row] = await stored()
  assert.equal(row?.attempts, 1)
  assert.ok((row?.due_at ?? 0) > Date.now() + 50_000, 'a minute later')
  await waitUntil(() => mail.backlog().waiting === 1)
  assert.equal(mail.backlog().lastFailure, 'EENVELOPE 451')
  await makeDue()
  await waitUntil(() => outcomes.length === 2)
  busy.is = false
  await makeDue()
  await waitUntil(async () => (await stored()).length === 0)
  await mail.close()
  assert.deepEqual(outcomes, ['delayed', 'delayed', 'accepted'])
  assert.equal(server.letters.length, 1)
  assert.match(server.letters[0]?.content ?? '', /^https:\/\/x\.example\/secret-link\r?$/m)
  assert.doesNotMatch(JSON.stringify(lines), /ada@|secret-link/)
})

test('mails outlive the process: another node sends them, and the storage holds no address or link in clear', async () => {
  const down = await openTestMailServer()
  await down.close()
  const first = openNode({ smtpUrl: down.smtpUrl, mailFrom })
  assert.equal(await first.mail.send(letter), 'waiting')
  await first.mail.close()
  assert.doesNotMatch(JSON.stringify(await stored()), /ada@|example|secret-link/)
  const server = await serve()
  const nodes = [server, server].map(({ smtpUrl }) => openNode({ smtpUrl, mailFrom }))
  await makeDue()
  await waitUntil(async () => (await stored()).length === 0)
  for (const { mail } of nodes) await mail.close()
  assert.deepEqual(
    server.letters.map(({ to }) => to),
    [['ada@example.org']],
  )
})

test('a mail that is stored while its node ends is sent by the next one', async () => {
  const id = 'interrupted'
  await storage.db
    .insertInto('mails')
    .values({
      id,
      sealed: await encryption.encrypt(id, letter),
      attempts: 0,
      last_failure: null,
      created_at: Date.now(),
      // The lease of the node has ended.
      due_at: Date.now(),
      expires_at: Date.now() + 60_000,
    })
    .execute()
  const server = await serve()
  const { mail } = openNode({ smtpUrl: server.smtpUrl, mailFrom })
  await waitUntil(async () => (await stored()).length === 0)
  await mail.close()
  assert.equal(server.letters.length, 1)
})

test('a mail is given up when its link has ended, and says so in the log', async () => {
  const server = await serve({ refuse: () => 451 })
  const { lines, outcomes, mail } = openNode({ smtpUrl: server.smtpUrl, mailFrom })
  // The next attempt would come after the end.
  assert.equal(await mail.send({ ...letter, expiresAt: Date.now() + 30_000 }), 'rejected')
  assert.deepEqual([outcomes, (await stored()).length], [['given-up'], 0])
  assert.equal(await mail.send({ ...letter, expiresAt: Date.now() + 3_600_000 }), 'waiting')
  await storage.db
    .updateTable('mails')
    .set({ expires_at: Date.now() - 1, due_at: Date.now() })
    .execute()
  await waitUntil(async () => (await stored()).length === 0)
  await mail.close()
  assert.deepEqual(outcomes, ['given-up', 'delayed', 'given-up'])
  assert.match(String(lines.at(-1)?.[1]), /given up/)
})

test('a mail of an earlier encryption key is given up, and hides no other one', async () => {
  const id = 'earlier'
  const earlierEncryption = createRecordEncryption({ derive: () => randomBytes(32) })
  const row = { attempts: 0, last_failure: null, created_at: 0, due_at: 0, expires_at: Date.now() + 60_000 }
  const readable = await encryption.encrypt('readable', letter)
  await storage.db
    .insertInto('mails')
    .values([
      { ...row, id, sealed: await earlierEncryption.encrypt(id, letter) },
      { ...row, id: 'readable', sealed: readable },
    ])
    .execute()
  const server = await serve()
  const { outcomes, mail } = openNode({ smtpUrl: server.smtpUrl, mailFrom })
  await waitUntil(async () => (await stored()).length === 0)
  await mail.close()
  assert.deepEqual([outcomes.toSorted(), server.letters.length], [['accepted', 'given-up'], 1])
})

test('an address beyond ASCII gets mail where the mail server offers SMTPUTF8, and nothing is sent where it does not', async () => {
  const umlautAddress = 'jörg@xn--bcher-kva.example'
  const able = await serve()
  const node = openNode({ smtpUrl: able.smtpUrl, mailFrom })
  assert.deepEqual(
    [await node.mail.supports(umlautAddress), await node.mail.send({ ...letter, to: umlautAddress })],
    [true, 'accepted'],
  )
  await node.mail.close()
  assert.match(able.letters[0]?.to[0] ?? '', /^jörg@/)
  const unable = await serve({ smtpUtf8: false })
  for (const [from, recipient] of [
    [mailFrom, umlautAddress],
    ['jörg@example.org', letter.to],
  ] as const) {
    const { mail, lines } = openNode({ smtpUrl: unable.smtpUrl, mailFrom: from })
    assert.equal(await mail.supports(recipient), false)
    assert.equal(await mail.send({ ...letter, to: recipient }), 'unsupported')
    assert.equal((await mail.test({ ...letter, to: recipient }))?.accepted, false)
    await mail.close()
    assert.doesNotMatch(JSON.stringify(lines), /jörg/)
  }
  const { mail } = openNode({ smtpUrl: unable.smtpUrl, mailFrom })
  assert.equal(await mail.send({ ...letter, to: 'info@xn--bcher-kva.example' }), 'accepted')
  await mail.close()
  assert.deepEqual([unable.letters.length, (await stored()).length], [1, 0])
})

test('a page waits two seconds at most for a mail server that does not say what it supports', async t => {
  const sockets = new Set<Socket>()
  const silent = createServer(socket => void sockets.add(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = Object(silent.address())
  const { mail } = openNode({ smtpUrl: `smtp://127.0.0.1:${port}`, mailFrom })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const isSupported = mail.supports('jörg@example.org')
  t.mock.timers.tick(2000)
  assert.equal(await isSupported, true)
  t.mock.timers.reset()
  await waitUntil(() => sockets.size > 0)
  for (const socket of sockets) socket.destroy()
  silent.close()
  await mail.close()
})

test('letters beyond ASCII in the name of the sender need no SMTPUTF8', async () => {
  const server = await serve({ smtpUtf8: false })
  for (const sender of ['Bücherei <library@example.org>', 'Bücherei <library@bücher.example>']) {
    const { mail } = openNode({ smtpUrl: server.smtpUrl, mailFrom: sender })
    assert.equal(await mail.supports(letter.to), true)
    assert.equal(await mail.send(letter), 'accepted')
    await mail.close()
  }
  assert.match(server.letters[0]?.content ?? '', /^From: =\?UTF-8\?.* <library@example\.org>\r?$/m)
  assert.match(server.letters[1]?.content ?? '', /^From: .* <library@xn--bcher-kva\.example>\r?$/m)
})

test('credentials and links do not leave this machine unencrypted', async () => {
  const server = await serve({ account: { user: 'me', password: 'hush' } })
  // A name that is not known as this machine's: the server there offers no encryption.
  const elsewhere = server.smtpUrl.replace('127.0.0.1', '0.0.0.0')
  const { mail } = openNode({ smtpUrl: elsewhere, mailFrom })
  assert.equal(await mail.send(letter), 'waiting')
  await mail.close()
  const { mail: relay } = openNode({ smtpUrl: `${elsewhere}?requireTLS=false`, mailFrom })
  assert.equal(await relay.send(letter), 'accepted')
  await relay.close()
  assert.equal(server.letters.length, 1)
  await storage.db.deleteFrom('mails').execute()
})

test('without a mail server nothing is sent, and nothing fails', async () => {
  const { mail } = openNode({ smtpUrl: undefined, mailFrom: undefined })
  assert.deepEqual([mail.isAvailable, await mail.send(letter)], [false, 'off'])
  await mail.close()
})

test('every letter has its link in every language, and no line of others breaks out of its place', () => {
  const expiresAt = Date.UTC(2026, 0, 31, 12, 30)
  const url = 'https://login.example.org/invitation/qri_x'
  for (const language of languages) {
    const words = mailTemplates(language)
    const invitation = words.invitation({
      workspace: 'Books\r\nBcc: eve@example.org\u202e',
      inviter: `Ada\n\nhttps://evil.example ${'x'.repeat(300)}`,
      url,
      expiresAt,
    })
    assert.doesNotMatch(invitation.subject, /[\r\n\u202e]/)
    assert.match(invitation.text, /^https:\/\/login\.example\.org\/invitation\/qri_x$/m)
    assert.doesNotMatch(invitation.text, /^https:\/\/evil|x{200}/m)
    assert.match(invitation.text, /2026/)
    assert.ok(words.passwordReset({ url, expiresAt }).text.includes(url))
    const facts = {
      authUrl: 'https://login.example.org',
      workspace: 'Books',
      inviter: 'Ada',
      url,
      expiresAt,
      person: 'Ada',
      domain: 'example.org',
      issuer: 'https://login.example.net',
      record: '_querent-challenge.example.org',
      endsAt: expiresAt,
      emailBefore: 'ada@example.org',
      email: 'grace@example.org',
      newEmail: 'grace@example.org',
      change: 'app-added' as const,
      browser: null,
      system: null,
      address: '192.0.2.1',
      at: expiresAt,
    }
    for (const write of Object.values(words)) {
      const { subject, text } = write(facts)
      assert.ok(subject !== '' && text.includes('https://login.example.org'))
      assert.doesNotMatch(text, /[{}]|undefined|null/)
    }
  }
})
