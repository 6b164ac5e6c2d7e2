/** `querent doctor` reports each check of a server, and says what to do if one fails. */
import assert from 'node:assert/strict'
import { chmod, rm } from 'node:fs/promises'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { freePort } from '#bench/peers/start'
import { freshDatabase } from '#server/storage/test-postgres'
import { runQuerent } from '#tests/support/command-line'
import { makeLibrary } from '#tests/support/library'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

interface Check {
  name: string
  state: 'ok' | 'warn' | 'fail'
  message: string
  advice?: string
}

const doctor = async (server: Pick<ServerProcess, 'data'>) => {
  const { code, stdout, stderr } = await runQuerent(['doctor', '--data', server.data, '--json'])
  // The value of `querent doctor --json` (docs/operate.md).
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] }
  assert.equal(ok, code === 0, stderr)
  for (const { state, advice, message } of checks) assert.equal(advice === undefined, state === 'ok', message)
  const notWell = checks.filter(({ state }) => state !== 'ok').map(({ name, state }) => `${name} ${state}`)
  const findCheck = (name: string) =>
    checks.find(check => check.name === name) ?? assert.fail(`no check of ${name}`)
  return { code, stderr, checks, notWell, findCheck }
}

const doctorNodes = async (server: Pick<ServerProcess, 'data'>) => {
  const { stdout } = await runQuerent(['doctor', '--all-nodes', '--data', server.data, '--json'])
  // The value of `querent doctor --all-nodes --json` (docs/operate.md).
  const { nodes } = JSON.parse(stdout) as { nodes: { services: string[]; checks: Check[] }[] }
  return nodes
}

test('doctor reports a healthy server, one with problems, and one that does not run', async t => {
  const server = await startServerProcess()
  t.after(() => server.stop())
  await makeLibrary(server)

  const fresh = await doctor(server)
  assert.deepEqual(fresh.notWell, ['backup warn', 'mail warn'])
  assert.equal(fresh.code, 0)
  assert.deepEqual([...new Set(fresh.checks.map(({ name }) => name))].toSorted(), [
    'addresses',
    'backup',
    'clock',
    'data',
    'disk',
    'engine',
    'keys',
    'mail',
    'proxy',
    'storage',
  ])
  assert.equal(fresh.findCheck('engine').message, '200 documents in 1 collection, all ready')
  assert.match(fresh.findCheck('storage').message, /^SQLite answers in \d+ ms and reports changes$/)

  await t.test('for people, doctor prints a line per check, with the advice below it', async () => {
    const { code, stdout } = await runQuerent(['doctor', '--data', server.data])
    assert.equal(code, 0)
    assert.match(stdout, /^✓ ok {3}engine {6}200 documents in 1 collection, all ready$/m)
    assert.match(stdout, /^! warn backup .*\n +→ create one with `querent backup FILE`/m)
  })
  await t.test('--all-nodes reports a single node too', async () => {
    const nodes = await doctorNodes(server)
    assert.deepEqual(
      nodes.map(({ services, checks }) => [services, checks.map(({ name, state }) => `${name} ${state}`)]),
      [
        [
          ['query', 'authorization'],
          ['storage ok', 'keys ok', 'engine ok', 'disk ok'],
        ],
      ],
    )
    const { stdout } = await runQuerent(['doctor', '--all-nodes', '--data', server.data])
    assert.match(stdout, /\n\nquery and authorization on .*\n(✓ ok .*\n){4}/)
  })
  await t.test('--server reports the public checks only', async () => {
    const { code, stdout } = await runQuerent(['doctor', '--server', server.authUrl, '--json'])
    const { checks } = JSON.parse(stdout) as { checks: Check[] }
    assert.equal(code, 0)
    assert.deepEqual(
      checks.map(({ name, state }) => `${name} ${state}`),
      ['addresses ok', 'addresses ok', 'clock ok', 'server warn'],
    )
  })
  await t.test('after a backup, the backup check passes', async () => {
    await server.run(['backup', join(server.data, '..', 'a.backup')])
    assert.deepEqual((await doctor(server)).notWell, ['mail warn'])
  })
  await t.test('a key that others can read fails the data check', async () => {
    await chmod(join(server.data, 'key'), 0o644)
    const { notWell, code, stderr } = await doctor(server)
    assert.deepEqual([notWell, code], [['data fail', 'mail warn'], 1])
    assert.match(stderr, /^querent: failing: data; follow the advice for each/)
    await chmod(join(server.data, 'key'), 0o600)
  })
  await t.test('a killed server fails the address check', async () => {
    await server.kill()
    const { code, checks, findCheck } = await doctor(server)
    assert.equal(code, 1)
    assert.match(findCheck('addresses').message, /does not answer \(ECONNREFUSED\)/)
    assert.equal(checks.at(-1)?.name, 'server')
  })
  await t.test('for a stopped server, doctor checks only its folder', async () => {
    await server.restart()
    await server.shutDown()
    const stopped = await doctor(server)
    assert.deepEqual([stopped.notWell, stopped.code], [['server fail'], 1])
    assert.match(stopped.findCheck('server').advice ?? '', /^start it with `querent serve --data /)
    await rm(join(server.data, 'key'))
    assert.deepEqual((await doctor(server)).notWell, ['data fail', 'server fail'])
    assert.match(
      (await doctor({ data: join(server.data, 'no') })).findCheck('data').message,
      /^there is no data folder/,
    )
  })
})

/** A proxy in front of the authorization server. It adds `headers` and forwards to the port `to`. */
const openProxy = async () => {
  const proxy = { to: 0, headers: {} as Record<string, string> }
  const listener = createServer((incoming, outgoing) => {
    const onward = request(
      {
        host: '127.0.0.1',
        port: proxy.to,
        method: incoming.method,
        path: incoming.url,
        headers: { ...incoming.headers, ...proxy.headers },
      },
      reply => {
        outgoing.writeHead(reply.statusCode ?? 502, reply.headers)
        reply.pipe(outgoing)
      },
    )
    onward.on('error', () => outgoing.writeHead(502).end())
    incoming.pipe(onward)
  })
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve))
  // It listens on TCP.
  const { port } = listener.address() as AddressInfo
  const close = () => {
    listener.closeAllConnections()
    listener.close()
  }
  return { proxy, port, close }
}

test('behind a proxy and on PostgreSQL, doctor distinguishes the faults of the proxy', async t => {
  process.env.QUERENT_STORAGE = await freshDatabase()
  const [login, search] = await Promise.all([openProxy(), openProxy()])
  t.after(() => {
    login.close()
    search.close()
  })
  const [port, authPort] = await Promise.all([freePort(), freePort()])
  login.proxy.to = authPort
  search.proxy.to = port
  const server = await startServerProcess([
    ...['--auth-url', `http://127.0.0.1:${login.port}`, '--base-url', `http://127.0.0.1:${search.port}`],
    ...['--port', String(port), '--auth-port', String(authPort)],
  ])
  t.after(() => server.stop())
  const well = await doctor(server)
  assert.deepEqual(well.notWell, ['backup warn', 'mail warn'])
  assert.match(well.findCheck('storage').message, /^PostgreSQL answers in \d+ ms/)
  assert.deepEqual(
    well.checks.filter(({ name }) => name === 'clock').map(({ message }) => message.split(' ')[1]),
    ["server's", "database's"],
  )

  login.proxy.headers = { 'x-forwarded-for': '192.0.2.7' }
  const unbelieved = await doctor(server)
  assert.deepEqual([unbelieved.findCheck('proxy').state, unbelieved.code], ['warn', 0])
  assert.match(unbelieved.findCheck('proxy').advice ?? '', /^add (::ffff:)?127\.0\.0\.1 to trustedProxy/)

  login.proxy.headers = {}
  search.proxy.to = authPort
  const crossed = await doctor(server)
  assert.equal(crossed.code, 1)
  const wrong = crossed.checks.filter(({ state }) => state === 'fail')
  assert.deepEqual(
    wrong.map(({ name }) => name),
    ['addresses'],
  )
  assert.match(wrong[0]?.advice ?? '', /proxy forwards all paths to Querent/)
})
