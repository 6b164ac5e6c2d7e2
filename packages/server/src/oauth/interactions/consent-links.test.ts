/** The consent page of an application that registered itself: its links, and where it sends people back to. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { startPages } from './test-pages.ts'

const pages = await startPages()
after(() => pages.close())

test('privacy policy and terms are links to their host that give nothing away, and the scheme is shown', async () => {
  const redirectUri = 'cursor://anysphere.cursor-mcp/oauth/callback'
  const id = await pages.application('Editor <b>', {
    type: 'native',
    redirectUris: [redirectUri],
    registered: {
      grantTypes: ['authorization_code'],
      policyUri: 'https://editor.example/privacy?a=1&b=%22%3E',
      termsUri: 'https://editor.example/terms',
    },
  })
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const login = await reader.authorize({ client_id: id, redirect_uri: redirectUri })
  const consent = await reader.signIn(login, person.email)
  const links = consent.text
    .split('\n')
    .filter(line => line.includes('noreferrer'))
    .map(line => line.replaceAll('&#61;', '=').replaceAll('&#38;', '&'))
  assert.equal(links.length, 2, consent.text)
  const [policy = '', terms = ''] = links
  assert.match(
    policy,
    /<a href="https:\/\/editor\.example\/privacy\?a=1&(?:amp;)?b=%22%3E" target="_blank" rel="noopener noreferrer">/,
  )
  assert.match(policy, /\(editor\.example\)/)
  assert.doesNotMatch(policy, /<b>/)
  assert.match(terms, /<a href="https:\/\/editor\.example\/terms" target="_blank" rel="noopener noreferrer">/)
  assert.match(consent.text, /cursor:/)
  const landed = await reader.send(consent, { action: 'allow' })
  assert.ok(landed.applicationUrl?.href.startsWith(`${redirectUri}?code=`), landed.text)
})

test('an application without links has none', async () => {
  const person = await pages.newPerson()
  const reader = pages.openReader()
  const consent = await reader.signIn(await reader.authorize(), person.email)
  assert.doesNotMatch(consent.text, /noreferrer/)
})
