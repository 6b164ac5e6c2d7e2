import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer as createPlainServer, type RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { patienceMs } from '#test-wait'
import { type OpenSearchSettings, openCluster } from './cluster.ts'
import { ClusterUnreachable, checkCluster, createClusterCheck } from './cluster-check.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-fitness-'))
})
after(() => rm(folder, { recursive: true }))

/** Creates a self-signed certificate with a key file next to it, and returns its path. With `days` -1 it has expired. */
async function certificate(name: string, address: string, days = 2): Promise<string> {
  const [file, key, request] = ['pem', 'key', 'csr'].map(ending => join(folder, `${name}.${ending}`)) as [
    string,
    string,
    string,
  ]
  const openssl = (...args: string[]) => promisify(execFile)('openssl', args)
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  const names = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${address}`]
  await openssl('req', '-new', ...curve, ...names, '-keyout', key, '-out', request)
  const signed = ['-signkey', key, '-days', String(days), '-copy_extensions', 'copy', '-out', file]
  await openssl('x509', '-req', '-in', request, ...signed)
  return file
}

const openSearch = { version: { distribution: 'opensearch', number: '3.8.0' } }

/** Responds like a node with user `me` and password `hush`. */
const respondWith =
  (info: object): RequestListener =>
  ({ headers }, reply) => {
    const isKnown = headers.authorization === `Basic ${Buffer.from('me:hush').toString('base64')}`
    reply
      .writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
      .end(JSON.stringify(isKnown ? info : {}))
  }

/** Returns the error of a start with such a node; undefined if there is none. */
async function startError({
  info = openSearch,
  certificateFile,
  scheme = certificateFile === undefined ? 'http' : 'https',
  ...settings
}: { info?: object; certificateFile?: string; scheme?: string } & Partial<OpenSearchSettings>): Promise<
  string | undefined
> {
  const server =
    certificateFile === undefined
      ? createPlainServer(respondWith(info))
      : createServer(
          {
            cert: await readFile(certificateFile),
            key: await readFile(certificateFile.replace(/pem$/, 'key')),
          },
          respondWith(info),
        )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const origin = `${scheme}://127.0.0.1:${address.port}`
  const fullSettings = {
    nodes: [origin],
    username: 'me',
    password: 'hush',
    prefix: 'x-',
    shards: 1,
    replicas: 0,
    ...settings,
  }
  try {
    const cluster = openCluster(fullSettings)
    try {
      await checkCluster(cluster, fullSettings)
    } finally {
      await cluster.close()
    }
  } catch (error) {
    assert.ok(error instanceof Error)
    return error.message
  } finally {
    server.closeAllConnections()
    server.close()
  }
  return undefined
}

test('an untrusted certificate is rejected with a remedy, and one of the configured authority is accepted', async () => {
  const [good, otherAuthority, foreign] = await Promise.all([
    certificate('good', 'IP:127.0.0.1'),
    certificate('other', 'IP:127.0.0.1'),
    certificate('foreign', 'DNS:search.example.org'),
  ])
  const expired = await certificate('expired', 'IP:127.0.0.1', -1)
  assert.equal(await startError({ certificateFile: good, caFile: good }), undefined)
  for (const caFile of [undefined, otherAuthority])
    assert.match(
      (await startError({ certificateFile: good, caFile })) ?? '',
      /^--engine https:.*unknown authority.*--engine-ca/,
    )
  assert.match(
    (await startError({ certificateFile: foreign, caFile: foreign })) ?? '',
    /does not include this address/,
  )
  assert.match(
    (await startError({ certificateFile: expired, caFile: expired })) ?? '',
    /has expired: renew it/,
  )
  const empty = join(folder, 'empty.pem')
  await writeFile(empty, 'none')
  assert.match((await startError({ caFile: empty })) ?? '', /^--engine-ca: .* contains no certificate/)
  assert.match((await startError({ caFile: join(folder, 'none.pem') })) ?? '', /^--engine-ca: cannot read /)
})

test('the error names a wrong or missing password, a wrong scheme, another product or an old version', async () => {
  const messages = [
    await startError({ password: 'wrong' }),
    await startError({ username: undefined, password: undefined }),
    await startError({ info: { version: { number: '8.15.0' }, tagline: 'You Know, for Search' } }),
    await startError({ info: { version: { distribution: 'opensearch', number: '2.19.1' } } }),
    await startError({ nodes: ['http://127.0.0.1:9'] }),
  ]
  const patterns = [
    /rejects the user name and password in QUERENT_ENGINE_USER/,
    /requires a user name and password/,
    /is not OpenSearch/,
    /2\.19\.1 is too old/,
    /ECONNREFUSED/,
  ]
  for (const [index, pattern] of patterns.entries()) {
    assert.match(messages[index] ?? '', pattern)
    assert.doesNotMatch(messages[index] ?? '', /hush|wrong|\n/)
  }
  assert.equal(await startError({}), undefined)
})

test('the error names HTTP on a TLS port and TLS on an HTTP port', async () => {
  const certificateFile = await certificate('node', 'IP:127.0.0.1')
  assert.match((await startError({ certificateFile, scheme: 'http' })) ?? '', /use https:/)
  assert.match((await startError({ scheme: 'https' })) ?? '', /use http:/)
})

test('while one check waits for an unresponsive cluster, others fail at once with the last error, until it responds', async t => {
  const heldReplies: (() => void)[] = []
  let isSilent = false
  const server = createPlainServer((request, reply) => {
    if (!isSilent) reply.writeHead(503).end()
    else heldReplies.push(() => respondWith(openSearch)(request, reply))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const origin = `http://127.0.0.1:${address.port}`
  const settings = { nodes: [origin], username: 'me', password: 'hush', prefix: 'x-', shards: 1, replicas: 0 }
  const cluster = openCluster(settings)
  t.after(() => cluster.close())
  const check = createClusterCheck(cluster, settings)
  await assert.rejects(check(), ClusterUnreachable)
  isSilent = true
  await assert.rejects(check(), ClusterUnreachable)
  // Repeats the check until the cached failure has expired.
  const checks: Promise<unknown>[] = []
  const checkAgain = () => {
    checks.push(check().catch(error => error))
    assert.equal(heldReplies.length, 1)
  }
  await t.waitFor(checkAgain, { timeout: patienceMs })
  await assert.rejects(check(), ClusterUnreachable)
  for (const answer of heldReplies) answer()
  await t.waitFor(check, { timeout: patienceMs })
  assert.ok((await Promise.all(checks)).includes(undefined), 'the pending check succeeds')
})
