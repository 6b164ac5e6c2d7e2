/** Each reason why a server cannot be reached gets its own advice. The servers are real, with certificates from openssl. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer as createHttpServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net'
import { join } from 'node:path'
import { before, type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { folder, querent } from '#stand-in/querent'

const openssl = (...words: string[]) => promisify(execFile)('openssl', words)
const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

let certificates = ''
const path = (name: string) => join(certificates, name)

/** Creates a certificate `NAME.pem` and its key, signed by the authority in `ca.pem`. */
const issue = async (name: string, alternativeName: string, days: number) => {
  const [key, request] = [path(`${name}.key`), path(`${name}.csr`)]
  const subject = ['-subj', '/CN=Querent test', '-addext', `subjectAltName=${alternativeName}`]
  await openssl('req', ...newKey, ...subject, '-keyout', key, '-out', request)
  const authority = ['-CA', path('ca.pem'), '-CAkey', path('ca.key'), '-CAcreateserial']
  const signed = ['-days', String(days), '-copy_extensions', 'copy', '-out', path(`${name}.pem`)]
  await openssl('x509', '-req', '-in', request, ...authority, ...signed)
}

before(async t => {
  // node:test types the context of `before` as one of a suite too.
  certificates = await folder(t as TestContext)
  const selfSigned = [
    '-x509',
    '-days',
    '2',
    '-subj',
    '/CN=Querent test',
    '-addext',
    'subjectAltName=IP:127.0.0.1',
  ]
  await openssl('req', ...newKey, ...selfSigned, '-keyout', path('self.key'), '-out', path('self.pem'))
  await openssl(
    'req',
    ...newKey,
    '-x509',
    '-subj',
    '/CN=CA',
    '-keyout',
    path('ca.key'),
    '-out',
    path('ca.pem'),
  )
  await issue('good', 'IP:127.0.0.1', 2)
  await issue('expired', 'IP:127.0.0.1', -1)
  await issue('other', 'DNS:search.example.org', 2)
})

const listenOn = async (t: TestContext, server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  // A listening TCP server has an address of this form.
  return (server.address() as AddressInfo).port
}

const page: RequestListener = (_request, response) =>
  response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway</h1>')

const overTls = async (t: TestContext, name: string, answer = page): Promise<string> => {
  const options = { key: await readFile(path(`${name}.key`)), cert: await readFile(path(`${name}.pem`)) }
  return `https://127.0.0.1:${await listenOn(t, createTlsServer(options, answer))}`
}
const overHttp = async (t: TestContext, answer: RequestListener): Promise<string> =>
  `http://127.0.0.1:${await listenOn(t, createHttpServer(answer))}`

/** Returns the stderr of a command with `--server` and of one with `--data`. Both must exit with 1. */
const failures = async (t: TestContext, origin: string, authority?: string): Promise<string[]> => {
  const env = {
    QUERENT_CLIENT_SECRET: 's',
    ...(authority === undefined ? {} : { NODE_EXTRA_CA_CERTS: path(authority) }),
  }
  const data = await folder(t)
  const operator = { authUrl: origin, baseUrl: origin, clientId: 'c', clientSecret: 's' }
  await writeFile(join(data, 'operator.json'), JSON.stringify(operator))
  const replies = await Promise.all([
    querent(['token', '--server', origin, '--client-id', 'i'], { env }),
    querent(['users', 'list', '--data', data], { env }),
  ])
  return replies.map(({ code, stderr }) => {
    assert.equal(code, 1, stderr)
    assert.equal(stderr.trim().split('\n').length, 1, stderr)
    return stderr
  })
}
const says = (lines: string[], expected: RegExp) => {
  for (const line of lines) {
    assert.match(line, expected)
    assert.doesNotMatch(line, /start it with|is the server running/)
  }
}

test('for a self-signed certificate, the advice names NODE_EXTRA_CA_CERTS, and following it works', async t => {
  const origin = await overTls(t, 'self')
  says(await failures(t, origin), /DEPTH_ZERO_SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/)
  says(await failures(t, origin, 'self.pem'), /answered 502/)
  // The token comes from another server. The import uses another HTTP client.
  const token: RequestListener = (_request, response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ access_token: 't', token_type: 'Bearer', expires_in: 900 }))
  const operator = { authUrl: await overHttp(t, token), baseUrl: origin, clientId: 'c', clientSecret: 's' }
  const data = await folder(t)
  await writeFile(join(data, 'operator.json'), JSON.stringify(operator))
  const imported = await querent(['import', 'w', 'c', '-', '--data', data], { stdin: '{"id":"a"}\n' })
  says([imported.stderr], /DEPTH_ZERO_SELF_SIGNED_CERT.*NODE_EXTRA_CA_CERTS/)
})

test('for a certificate of an unknown authority, the advice names NODE_EXTRA_CA_CERTS, and following it works', async t => {
  const origin = await overTls(t, 'good')
  says(await failures(t, origin), /UNABLE_TO_VERIFY_LEAF_SIGNATURE.*NODE_EXTRA_CA_CERTS/)
  says(await failures(t, origin, 'ca.pem'), /answered 502/)
})

test('for an expired certificate, the advice is to renew it', async t => {
  says(await failures(t, await overTls(t, 'expired'), 'ca.pem'), /CERT_HAS_EXPIRED.*renew/)
})

test('a certificate for another name gets other advice than an untrusted one', async t => {
  says(await failures(t, await overTls(t, 'other'), 'ca.pem'), /ALTNAME_INVALID.*another name/)
})

test('for https on an http port, the error says that TLS failed', async t => {
  const origin = await overHttp(t, page)
  says(await failures(t, origin.replace('http:', 'https:')), /the TLS handshake failed/)
})

test('an error page of a proxy is not taken for a reply of Querent', async t => {
  says(await failures(t, await overHttp(t, page)), /answered 502.*a proxy answers there/)
  const missing: RequestListener = (_request, response) => response.writeHead(404).end('<h1>Not found</h1>')
  says(await failures(t, await overHttp(t, missing)), /answered 404.*another program answers there/)
  const website: RequestListener = (_request, response) => response.end('<h1>Welcome</h1>')
  says(await failures(t, await overHttp(t, website)), /another program answers there.*check the address/)
  const redirecting: RequestListener = (_request, response) =>
    response.writeHead(301, { location: 'https://elsewhere.example/' }).end()
  says(await failures(t, await overHttp(t, redirecting)), /redirect/)
})

test('for a name that does not resolve, the advice is not to start a server', async () => {
  const env = { QUERENT_CLIENT_SECRET: 's' }
  const server = 'https://nothing.invalid'
  const { code, stderr } = await querent(['token', '--server', server, '--client-id', 'i'], { env })
  assert.equal(code, 1)
  assert.match(stderr, /(ENOTFOUND|EAI_AGAIN).*does not resolve/)
})

test('for a refused connection, the advice is to start the server', async t => {
  const server = createTcpServer()
  const port = await listenOn(t, server)
  server.close()
  const lines = await failures(t, `http://127.0.0.1:${port}`)
  assert.match(lines[0] ?? '', /ECONNREFUSED.*is the server running/)
  assert.match(lines[1] ?? '', /ECONNREFUSED.*start it with `querent serve/)
})
