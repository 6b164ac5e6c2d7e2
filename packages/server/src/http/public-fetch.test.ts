/** Each rule of fetching a document at an address that somebody else chose, with its attack. */
import assert from 'node:assert/strict'
import type { LookupAddress } from 'node:dns'
import { createServer } from 'node:net'
import { after, test } from 'node:test'
import { createPublicFetch, documentBytesMax, isPublicAddress, PublicFetchError } from './public-fetch.ts'
import { openTestDocuments, sendDocument } from './test-documents.ts'

const documents = await openTestDocuments(['agent.example'])
after(() => documents.close())
const { origin, port, ca } = documents
documents.publish('/client.json')

const toHere: LookupAddress[] = [{ address: '127.0.0.1', family: 4 }]
const internalFetch = createPublicFetch({ internalHosts: ['localhost'], ca, resolve: async () => toHere })
const rejectsWith = (work: Promise<unknown>, message: RegExp) =>
  assert.rejects(work, error => error instanceof PublicFetchError && message.test(error.message))

test('no address of a private or special network is public, in any notation', () => {
  const special = [
    ...['0.0.0.0', '10.1.2.3', '100.64.0.1', '127.0.0.1', '127.255.255.254', '169.254.169.254'],
    ...['172.16.0.1', '172.31.255.255', '192.0.0.1', '192.0.2.1', '192.88.99.1', '192.168.1.1', '198.18.0.1'],
    ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255'],
    ...[
      '::',
      '::1',
      '::127.0.0.1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '0:0:0:0:0:ffff:a00:1',
      '::ffff:8.8.8.8',
    ],
    ...['::ffff:0:127.0.0.1', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b:1::1', '100::1', 'fc00::1'],
    ...['fd00:ec2::254', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '2001::1', '2001:0:7f00:1::1'],
    ...[
      '2001:db8::1',
      '2001:10::1',
      '2002:7f00:1::',
      '2002:a00:1::1',
      '3fff::1',
      '5f00::1',
      '2620:4f:8000::1',
    ],
    ...['', 'localhost', '127.1', '0x7f000001', '2130706433', '127.0.0.1.'],
  ]
  for (const address of special) assert.equal(isPublicAddress(address), false, address)
  for (const address of ['8.8.8.8', '100.63.255.255', '172.32.0.1', '192.169.0.1', '223.255.255.255'])
    assert.equal(isPublicAddress(address), true, address)
  for (const address of ['2606:4700::1111', '2a00:1450:4001::1', '2001:4860:4860::8888'])
    assert.equal(isPublicAddress(address), true, address)
})

test('nothing is sent to this machine, however the URL writes its address', async () => {
  const requestCount = documents.requests.length
  const publicFetch = createPublicFetch({ internalHosts: [], ca })
  for (const host of ['localhost', '127.0.0.1', '127.1', '2130706433', '0x7f.1', '017700000001', '0.0.0.0'])
    await rejectsWith(publicFetch(`https://${host}:${port}/client.json`), /not public/)
  for (const host of ['[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[::]'])
    await rejectsWith(publicFetch(`https://${host}:${port}/client.json`), /not public/)
  assert.equal(documents.requests.length, requestCount)
})

test('one private address among public ones is enough to send nothing', async () => {
  const requestCount = documents.requests.length
  const answers: LookupAddress[] = [{ address: '8.8.8.8', family: 4 }, ...toHere]
  for (const addresses of [answers, answers.toReversed(), [{ address: '::ffff:127.0.0.1', family: 6 }]]) {
    const publicFetch = createPublicFetch({ internalHosts: [], ca, resolve: async () => addresses })
    await rejectsWith(publicFetch(`https://agent.example:${port}/client.json`), /not public/)
  }
  assert.equal(documents.requests.length, requestCount)
})

test('DNS rebinding: the host is resolved once, and the connection goes to the checked address', async () => {
  // The checked address is here; a second answer would lead to a listener that must see nothing.
  let connections = 0
  const elsewhere = createServer(socket => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>(resolve => elsewhere.listen(port, '127.0.0.2', resolve))
  let resolved = 0
  const rebinding = createPublicFetch({
    internalHosts: [`agent.example:${port}`],
    ca,
    resolve: async () => {
      resolved += 1
      return resolved === 1 ? toHere : [{ address: '127.0.0.2', family: 4 }]
    },
  })
  const response = await rebinding(`https://agent.example:${port}/client.json`)
  assert.equal(response.status, 200)
  assert.deepEqual([resolved, connections], [1, 0])
  await new Promise(resolve => elsewhere.close(resolve))
})

test('an allowed internal host is allowed with its port, or on all of them; others are not', async () => {
  const address = `https://localhost:${port}/client.json`
  assert.equal((await internalFetch(address)).status, 200)
  assert.equal((await createPublicFetch({ internalHosts: [`localhost:${port}`], ca })(address)).status, 200)
  for (const internalHosts of [[`localhost:${port + 1}`], ['ocalhost'], ['agent.example']])
    await rejectsWith(createPublicFetch({ internalHosts, ca })(address), /not public/)
})

test('a redirect is never followed', async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    documents.answer('/moved', (_request, response) =>
      response.writeHead(status, { location: `${origin}/client.json` }).end(),
    )
    const requestCount = documents.requests.length
    assert.equal((await internalFetch(`${origin}/moved`)).status, status)
    assert.equal(documents.requests.length, requestCount + 1)
  }
})

test('a document that is too long is cut off, with and without its length', async () => {
  const long = JSON.stringify({ filler: 'x'.repeat(documentBytesMax) })
  documents.answer('/long', sendDocument(long, { 'content-length': String(Buffer.byteLength(long)) }))
  await rejectsWith(internalFetch(`${origin}/long`), /longer than 10240 bytes/)
  let closed = false
  documents.answer('/endless', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const write = () => {
      while (!closed && response.write(' '.repeat(1024)));
    }
    response.on('drain', write).on('close', () => {
      closed = true
    })
    write()
  })
  await rejectsWith(internalFetch(`${origin}/endless`), /longer than 10240 bytes/)
})

test('a document that arrives too slowly is given up: the time is for all of it', async () => {
  const impatient = createPublicFetch({ internalHosts: ['localhost'], ca, timeoutMs: 400 })
  documents.answer('/slow', (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  })
  await rejectsWith(impatient(`${origin}/slow`), /took longer than 400 ms/)
  documents.answer('/silent', () => {})
  await rejectsWith(impatient(`${origin}/silent`), /took longer than 400 ms/)
  const unresolved = createPublicFetch({
    internalHosts: [],
    timeoutMs: 50,
    resolve: () => new Promise(() => {}),
  })
  await rejectsWith(unresolved('https://agent.example/client.json'), /took longer than 50 ms/)
})

test('only JSON over https with a valid certificate counts', async () => {
  for (const type of ['text/html', 'text/json', 'application/jsonp', 'application/octet-stream']) {
    documents.answer('/typed', sendDocument({}, { 'content-type': type }))
    await rejectsWith(internalFetch(`${origin}/typed`), /content type/)
  }
  for (const type of [
    'application/json; charset=utf-8',
    'application/cimd+json',
    'application/jwk-set+json',
  ]) {
    documents.answer('/typed', sendDocument({}, { 'content-type': type }))
    assert.equal((await internalFetch(`${origin}/typed`)).status, 200)
  }
  await rejectsWith(internalFetch(`http://localhost:${port}/client.json`), /only https/)
  const stranger = createPublicFetch({ internalHosts: ['localhost'] })
  await rejectsWith(stranger(`${origin}/client.json`), /self-signed certificate/)
  const otherName = createPublicFetch({ internalHosts: ['other.example'], ca, resolve: async () => toHere })
  await rejectsWith(otherName(`https://other.example:${port}/client.json`), /altnames/)
})
