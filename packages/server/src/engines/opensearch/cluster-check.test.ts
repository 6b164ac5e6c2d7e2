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
import { type OpenSearchSettings, openCluster } from './cluster.ts'
import { ClusterAway, openFitness, refuseUnfit } from './cluster-check.ts'

let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-fitness-'))
})
after(() => rm(folder, { recursive: true }))

/** A certificate that signed itself: the path of it; its key stands beside. One for -1 days expired before it began. */
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

/** Answers as a node would whose user is `me`, password `hush`. */
const answering =
  (about: object): RequestListener =>
  ({ headers }, reply) => {
    const isKnown = headers.authorization === `Basic ${Buffer.from('me:hush').toString('base64')}`
    reply
      .writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' })
      .end(JSON.stringify(isKnown ? about : {}))
  }

/** What the start says about a node that answers so: nothing where it is fit. */
async function refusal({
  about = openSearch,
  shown,
  scheme = shown === undefined ? 'http' : 'https',
  ...settings
}: { about?: object; shown?: string; scheme?: string } & Partial<OpenSearchSettings>): Promise<
  string | undefined
> {
  const server =
    shown === undefined
      ? createPlainServer(answering(about))
      : createServer(
          { cert: await readFile(shown), key: await readFile(shown.replace(/pem$/, 'key')) },
          answering(about),
        )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const origin = `${scheme}://127.0.0.1:${address.port}`
  const whole = {
    nodes: [origin],
    username: 'me',
    password: 'hush',
    prefix: 'x-',
    shards: 1,
    replicas: 0,
    ...settings,
  }
  try {
    const cluster = openCluster(whole)
    try {
      await refuseUnfit(cluster, whole)
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

test('a certificate that cannot be trusted is refused with what to do; one by the named authority is taken', async () => {
  const [good, other, foreign] = await Promise.all([
    certificate('good', 'IP:127.0.0.1'),
    certificate('other', 'IP:127.0.0.1'),
    certificate('foreign', 'DNS:search.example.org'),
  ])
  const expired = await certificate('expired', 'IP:127.0.0.1', -1)
  assert.equal(await refusal({ shown: good, caFile: good }), undefined)
  for (const caFile of [undefined, other])
    assert.match(
      (await refusal({ shown: good, caFile })) ?? '',
      /^--engine https:.*not known here.*--engine-ca/,
    )
  assert.match(
    (await refusal({ shown: foreign, caFile: foreign })) ?? '',
    /for other names than this address/,
  )
  assert.match((await refusal({ shown: expired, caFile: expired })) ?? '', /has expired: renew it/)
  const empty = join(folder, 'empty.pem')
  await writeFile(empty, 'none')
  assert.match((await refusal({ caFile: empty })) ?? '', /^--engine-ca: .* holds no certificate/)
  assert.match((await refusal({ caFile: join(folder, 'none.pem') })) ?? '', /^--engine-ca: .* cannot be read/)
})

test('a wrong password, a missing one, a wrong scheme, another product and an old one are each named', async () => {
  const said = [
    await refusal({ password: 'wrong' }),
    await refusal({ username: undefined, password: undefined }),
    await refusal({ about: { version: { number: '8.15.0' }, tagline: 'You Know, for Search' } }),
    await refusal({ about: { version: { distribution: 'opensearch', number: '2.19.1' } } }),
    await refusal({ nodes: ['http://127.0.0.1:9'] }),
  ]
  const wanted = [
    /refuses the name and password of QUERENT_ENGINE_USER/,
    /asks for a name and a password/,
    /no OpenSearch/,
    /2\.19\.1 is too old/,
    /ECONNREFUSED/,
  ]
  for (const [at, pattern] of wanted.entries()) {
    assert.match(said[at] ?? '', pattern)
    assert.doesNotMatch(said[at] ?? '', /hush|wrong|\n/)
  }
  assert.equal(await refusal({}), undefined)
})

test('plain http where TLS is spoken, and the other way round, are told', async () => {
  const shown = await certificate('node', 'IP:127.0.0.1')
  assert.match((await refusal({ shown, scheme: 'http' })) ?? '', /is it https:/)
  assert.match((await refusal({ scheme: 'https' })) ?? '', /is it http:/)
})

test('who asks while one waits for a silent cluster is told at once what was found last; all of them when it is back', async t => {
  const held: (() => void)[] = []
  let isSilent = false
  const server = createPlainServer((request, reply) => {
    if (!isSilent) reply.writeHead(503).end()
    else held.push(() => answering(openSearch)(request, reply))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const origin = `http://127.0.0.1:${address.port}`
  const where = { nodes: [origin], username: 'me', password: 'hush', prefix: 'x-', shards: 1, replicas: 0 }
  const cluster = openCluster(where)
  t.after(() => cluster.close())
  const fit = openFitness(cluster, where)
  await assert.rejects(fit(), ClusterAway)
  isSilent = true
  await assert.rejects(fit(), ClusterAway)
  // Asks again when what was found is no longer told.
  const asks: Promise<unknown>[] = []
  const askAgain = () => {
    asks.push(fit().catch(error => error))
    assert.equal(held.length, 1)
  }
  await t.waitFor(askAgain, { timeout: 20_000 })
  await assert.rejects(fit(), ClusterAway)
  for (const answer of held) answer()
  await t.waitFor(fit, { timeout: 20_000 })
  assert.ok((await Promise.all(asks)).includes(undefined), 'who asked was answered')
})
