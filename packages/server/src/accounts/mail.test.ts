import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { languages } from '#languages/languages'
import { openMailer } from './mail.ts'
import { renderMailHtml } from './mail-html.ts'
import { mailTemplates } from './mail-templates.ts'
import { openTestMailServer } from './test-mail.ts'

const mailFrom = 'Search <search@example.org>'
const letter = { to: 'ada@example.org', subject: 'Grüße', text: 'https://x.example/secret-link\n' }

const logged = () => {
  const lines: unknown[][] = []
  return { lines, log: { warn: (...line: unknown[]) => void lines.push(line) } }
}
const serve = async (options?: Parameters<typeof openTestMailServer>[0]) => {
  const server = await openTestMailServer(options)
  after(() => server.close())
  return server
}

test('a letter arrives whole, at its address, from the sender, marked as automatic', async () => {
  const server = await serve({ account: { user: 'me@x', password: 'p:@/ss' } })
  const { lines, log } = logged()
  const mail = openMailer({ smtpUrl: server.smtpUrl, mailFrom }, log)
  assert.deepEqual([mail.isAvailable, await mail.send(letter)], [true, true])
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
  const mail = openMailer({ smtpUrl: server.smtpUrl, mailFrom }, logged().log)
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
  const mail = openMailer({ smtpUrl: server.smtpUrl, mailFrom }, logged().log)
  await mail.send({ ...letter, to: 'ada,eve@example.org' })
  await mail.close()
  assert.ok(
    server.letters.every(({ to: recipient }) => recipient.length === 1 && recipient[0] !== 'eve@example.org'),
  )
})

test('what fails is logged without address, link or password, and never thrown', async () => {
  const server = await serve({ account: { user: 'me', password: 'hush' }, refuse: () => true })
  const { lines, log } = logged()
  const down = await openTestMailServer()
  await down.close()
  for (const smtpUrl of [server.smtpUrl, server.smtpUrl.replace('hush', 'hushed'), down.smtpUrl]) {
    const mail = openMailer({ smtpUrl, mailFrom }, log)
    assert.equal(await mail.send(letter), false)
    await mail.close()
  }
  assert.equal(lines.length, 3)
  assert.doesNotMatch(JSON.stringify(lines), /ada@|secret-link|hush/)
})

test('credentials and links do not leave this machine unencrypted', async () => {
  const server = await serve({ account: { user: 'me', password: 'hush' } })
  const { lines, log } = logged()
  // A name that is not known as this machine's: the server there offers no encryption.
  const elsewhere = server.smtpUrl.replace('127.0.0.1', '0.0.0.0')
  const mail = openMailer({ smtpUrl: elsewhere, mailFrom }, log)
  assert.equal(await mail.send(letter), false)
  const relay = openMailer({ smtpUrl: `${elsewhere}?requireTLS=false`, mailFrom }, log)
  assert.equal(await relay.send(letter), true)
  await Promise.all([mail.close(), relay.close()])
  assert.deepEqual([server.letters.length, lines.length], [1, 1])
})

test('without a mail server nothing is sent, and nothing fails', async () => {
  const mail = openMailer({ smtpUrl: undefined, mailFrom: undefined }, logged().log)
  assert.deepEqual([mail.isAvailable, await mail.send(letter)], [false, false])
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
