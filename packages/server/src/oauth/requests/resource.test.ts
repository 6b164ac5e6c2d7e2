import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AudienceChoice, chooseAudience } from './resource.ts'

const services = { baseUrl: 'https://search.example', authUrl: 'https://auth.example' }
const ask = (request: {
  audience?: string
  resource?: string
  isOwn?: boolean
  workspace?: string | undefined
}): AudienceChoice =>
  chooseAudience(
    { audience: undefined, resource: undefined, isOwn: false, workspace: 'w', ...request },
    services,
  )

test('the address with and without a slash, by audience or by resource, is the same audience', () => {
  for (const address of [
    'https://search.example',
    'https://search.example/',
    'HTTPS://Search.Example:443/',
    'https://search.example/x/..',
    'https://search.example//',
    'https://search.example/4/..////',
  ]) {
    assert.deepEqual(ask({ audience: address }), { audience: 'https://search.example' })
    assert.deepEqual(ask({ resource: address }), { audience: 'https://search.example' })
  }
})

test('a narrower address below the service is kept, without its last slash', () => {
  const audience = 'https://search.example/4/w/api/a%2Fb/mcp'
  assert.deepEqual(ask({ resource: `${audience}/` }), { audience })
  assert.deepEqual(ask({ resource: `${audience}//` }), { audience })
  for (const path of ['', '/api', '/api/a', '/api/a/e/all/p/x/1/results', '/collections/a/documents'])
    assert.deepEqual(ask({ resource: `https://search.example/4/w${path}` }), {
      audience: `https://search.example/4/w${path}`,
    })
  assert.deepEqual(ask({ audience: 'https://search.example/', resource: audience }), { audience })
})

test('an address is compared decoded, and has one spelling', () => {
  const audience = 'https://search.example/4/w/api/a:b'
  for (const resource of [
    'https://search.example/4/%77/api/a%3Ab/',
    'https://search.example/4/w/api/a%3ab',
    'https://search.example/4/x/%2E%2e/w/api/a:b',
  ])
    assert.deepEqual(ask({ resource }), { audience }, resource)
  assert.ok('error' in ask({ resource: 'https://search.example/4/w/api/%zz' }))
})

test('a narrower address is in the workspace of the client; the clients of the server open any', () => {
  for (const address of [
    'https://search.example/4/other',
    'https://search.example/4/other/api/a',
    'https://search.example/4/o%74her/api/a',
    'https://search.example/4/w%2F..%2Fother',
    'https://search.example/4/ww',
    'https://search.example/4/w/../other',
  ])
    for (const request of [{ resource: address }, { audience: address }]) {
      const choice = ask(request)
      assert.ok('error' in choice && choice.error === 'invalid_target', address)
      assert.match(choice.description, /another workspace .*: send resource=https:\/\/search\.example\/4\/w /)
      assert.ok('audience' in ask({ ...request, isOwn: true, workspace: undefined }))
    }
})

test('an address of the service without resources is refused with the right ones, and reveals no existing ones', () => {
  for (const path of [
    '/foo',
    '/api/v2/',
    '/4',
    '/4//w',
    '//4/w',
    '/5/w',
    '/4/w/ap',
    '/4/w//api/a',
    '/4/w/api//a',
    '/4/other/foo',
  ]) {
    const address = `https://search.example${path}`
    for (const request of [{ resource: address }, { audience: address }])
      assert.deepEqual(ask(request), {
        error: 'invalid_target',
        description: `'${address}' is not an address of this service: send audience=https://search.example, or resource=https://search.example/4/w or below it`,
      })
    assert.ok('error' in ask({ audience: address, isOwn: true, workspace: undefined }))
  }
})

test('resource must lie below audience where both are sent', () => {
  const choice = ask({ audience: 'https://search.example/4/other', resource: 'https://search.example/4/w' })
  assert.ok('error' in choice && choice.error === 'invalid_target')
})

test('without an address, it is the query service', () => {
  for (const isOwn of [false, true]) assert.deepEqual(ask({ isOwn }), { audience: 'https://search.example' })
})

test('a foreign address is refused, and the right one named', () => {
  for (const audience of [
    'https://search.example.evil',
    'https://search.example:8443',
    'http://search.example',
    'https://user@search.example',
    'https://search.example/?x',
    'https://search.example/#x',
    'https://auth.example/manage/',
    'https://auth.example',
    'search.example',
    'urn:search',
    'https://search.example\n\u{1f600}"\\'.padEnd(5000, 'x'),
  ]) {
    const choice = ask({ audience })
    assert.ok('error' in choice && choice.error === 'invalid_target', audience)
    assert.match(choice.description, /send audience=https:\/\/search\.example, or resource=/)
    assert.match(choice.description, /^[\x20-\x21\x23-\x5b\x5d-\x7e]{1,500}$/)
  }
  const narrow = ask({ audience: 'https://search.example', resource: 'https://other.example/4/w' })
  assert.ok('error' in narrow && narrow.description.includes("'https://other.example/4/w'"))
})

test("the management API is for the server's own clients, with and without its slash", () => {
  for (const audience of ['https://auth.example/manage', 'https://auth.example/manage/'])
    assert.deepEqual(ask({ audience, isOwn: true }), { audience: 'https://auth.example/manage/' })
  assert.deepEqual(ask({ audience: 'https://search.example', isOwn: true }), {
    audience: 'https://search.example',
  })
  assert.ok('error' in ask({ audience: 'https://auth.example/manage/v1', isOwn: true }))
})
