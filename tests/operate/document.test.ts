/** docs/operate.md is true about settings, addresses and files. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { healthCheckNames } from '@querent/contract/manage'
import Database from 'better-sqlite3'
import { decodeProtectedHeader } from 'jose'
import { parse } from 'yaml'
import { launcher, runQuerent } from '#tests/support/command-line'
import { makeLibrary } from '#tests/support/library'
import { fetchToken, startServerProcess } from '#tests/support/started-server'

const text = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'operate.md'), 'utf8')

test('the server accepts every setting of the configuration file in docs/operate.md', async t => {
  const [, block = assert.fail('no configuration file')] = /^```yaml\n([\s\S]*?)^```$/m.exec(text) ?? []
  const folder = await mkdtemp(join(tmpdir(), 'querent-operate-'))
  t.after(() => rm(folder, { recursive: true }))
  await writeFile(join(folder, 'querent.yaml'), block)
  const { code, stdout, stderr } = await runQuerent([
    'serve',
    '--config',
    join(folder, 'querent.yaml'),
    '--print-config',
  ])
  assert.equal(code, 0, stderr)
  for (const name of Object.keys(parse(block)))
    assert.match(stdout, new RegExp(`│ ${name} .*│ file `), `${name} comes from the file`)
})

test('the addresses in docs/operate.md answer, and the data folder has the files that it names', async t => {
  const server = await startServerProcess()
  t.after(() => server.stop())
  const { token } = await makeLibrary(server)
  const addresses = [...text.matchAll(/^\| `(\{(?:base|auth)_url\}[^`]*)`/gm)].map(
    ([, address = '']) => address,
  )
  assert.equal(addresses.length, 5)
  for (const address of addresses) {
    const url = address
      .replace('{base_url}', server.baseUrl)
      .replace('{auth_url}', server.authUrl)
      .replace('{workspace}', 'library')
      .replace('{api}', 'library')
    const { status } = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
    assert.equal(status, 200, url)
  }
  const files = [...text.matchAll(/^\| `([a-z.]+)` /gm)].map(([, name = '']) => name)
  assert.equal(files.length, 4)
  const dataFiles = await readdir(server.data)
  for (const name of files) assert.ok(dataFiles.includes(name), name)
})

test('the commands of docs/operate.md back up, restore and check a server', async t => {
  const server = await startServerProcess()
  t.after(() => server.stop())
  await makeLibrary(server)
  const folder = await mkdtemp(join(tmpdir(), 'querent-operate-'))
  t.after(() => rm(folder, { recursive: true }))
  /** Runs `querent NAME` with the arguments from the page, in a folder of the test. */
  const run = (name: string, extraArgs: readonly string[] = []) => {
    const [, block = assert.fail(`no example of ${name}`)] =
      new RegExp(`^ {4}npx querent (${name} .*)$`, 'm').exec(text) ?? []
    const args = block
      .split(' ')
      .map(word => (word === 'querent-data' ? server.data : word))
      .map(word => (/^(querent\.backup|restored)$/.test(word) ? join(folder, word) : word))
    return runQuerent([...args, ...extraArgs])
  }
  for (const name of ['backup', 'restore']) {
    const { code, stderr } = await run(name)
    assert.equal(code, 0, stderr)
  }
  assert.deepEqual((await readdir(folder)).toSorted(), ['querent.backup', 'restored'])
  // The backup is binary, so redirect it to a file as a shell does.
  const backupFile = await open(join(folder, 'led'), 'wx')
  const child = spawn(launcher, ['backup', '-', '--data', server.data], {
    stdio: ['ignore', backupFile.fd, 'inherit'],
  })
  assert.deepEqual(await once(child, 'exit'), [0, null])
  await backupFile.close()
  const restoreResult = await runQuerent(['restore', join(folder, 'led'), '--data', join(folder, 'again')])
  assert.equal(restoreResult.code, 0, restoreResult.stderr)
  assert.match(restoreResult.stdout, /: 1 person, 1 workspace, \d+ documents\./)

  const { code, stdout } = await run('doctor', ['--json'])
  assert.equal(code, 0)
  // The page describes its form next to the example.
  const { checks } = JSON.parse(stdout) as { checks: { name: string }[] }
  const [, table = assert.fail('no table of checks')] =
    /^\| it looks at .*\n\|.*\n((?:\|.*\n)+)/m.exec(text) ?? []
  const documentedChecks = [...table.matchAll(/^\| (\w[\w ]*?) +\|/gm)].map(([, name]) => name)
  assert.deepEqual(documentedChecks.toSorted(), [...healthCheckNames].toSorted())
  assert.deepEqual(
    checks.map(({ name }) => name).filter(name => !documentedChecks.includes(name)),
    [],
  )
})

/** Returns the status of a query. */
const statusAt = async ({ baseUrl }: { baseUrl: string }, bearer: string) => {
  const url = `${baseUrl}/4/library/api/library/status`
  return (await fetch(url, { headers: { authorization: `Bearer ${bearer}` } })).status
}

test('after the withdrawal of signing keys in docs/operate.md, their tokens are rejected, and other keys sign at once', async t => {
  const commands = [...text.matchAll(/^ {4}npx querent (keys .*)$/gm)].map(([, block = '']) =>
    block.split(' '),
  )
  const [list = assert.fail('no list'), withdraw = assert.fail('no withdrawal')] = commands
  const server = await startServerProcess()
  t.after(() => server.stop())
  const { clientId, clientSecret, token } = await makeLibrary(server)
  const run = async (args: readonly string[], ...extraArgs: string[]) => {
    const { code, stdout, stderr } = await runQuerent([
      ...args.map(word => (word === 'querent-data' ? server.data : word)),
      ...extraArgs,
    ])
    assert.equal(code, 0, stderr)
    return stdout
  }
  const keys: { kid: string; state: string }[] = JSON.parse(await run(list, '--json'))
  assert.deepEqual(
    keys.map(({ state }) => state),
    ['signs', 'signs'],
  )
  const fetchStatus = (bearer: string) => statusAt(server, bearer)
  assert.equal(await fetchStatus(token), 200)
  const { kid: signed } = decodeProtectedHeader(token)
  for (const { kid } of keys) {
    const withdrawalMessage = await run(withdraw.map(word => (word === 'KEY' ? kid : word)))
    assert.ok(withdrawalMessage.startsWith(`Withdrew ${kid}; `), withdrawalMessage)
    if (kid === signed) assert.equal(await fetchStatus(token), 401, 'the first request after it')
  }
  const keyList = await run(list)
  for (const { kid } of keys) assert.ok(!keyList.includes(kid))
  assert.equal(await fetchStatus(token), 401)
  const fresh = await fetchToken(server, { clientId, clientSecret })
  assert.notEqual(decodeProtectedHeader(fresh).kid, signed)
  assert.equal(await fetchStatus(fresh), 200)
  const unknown = await runQuerent(['keys', 'withdraw', keys[0]?.kid ?? '', '--data', server.data])
  assert.equal(unknown.code, 1)
  assert.match(unknown.stderr, /no signing key .*: list them with `querent keys list`/)
})

test('after deleting signing keys from the storage as in docs/operate.md, every access token ends, and a new key signs', async t => {
  const [, statement = assert.fail('no statement')] = /`sqlite3 \S+ '(delete [^']*)'`/.exec(text) ?? []
  const server = await startServerProcess()
  t.after(() => server.stop())
  const { clientId, clientSecret, token } = await makeLibrary(server)
  const fetchStatus = (bearer: string) => statusAt(server, bearer)
  await server.run(['keys', 'rotate', '--signs-in', '5s'])
  assert.equal(await fetchStatus(token), 200, 'a key that is followed by another is good for those of before')
  await server.shutDown()
  const storage = new Database(join(server.data, 'querent.db'))
  storage.exec(statement)
  storage.close()
  await writeFile(join(server.data, 'key'), randomBytes(32).toString('base64'))
  await server.restart()
  assert.equal(await fetchStatus(token), 401)
  assert.equal(await fetchStatus(await fetchToken(server, { clientId, clientSecret })), 200)
})

const watch = await readFile(join(import.meta.dirname, '..', '..', 'docs', 'watch.md'), 'utf8')

test('a server with the settings of docs/watch.md has the metrics of the page', async t => {
  const [, settings = assert.fail('no settings')] = /^```yaml\n([\s\S]*?)^```$/m.exec(watch) ?? []
  const { metricsHost } = parse(settings)
  const server = await startServerProcess(['--metrics-port', '0', '--metrics-host', metricsHost])
  t.after(() => server.stop())
  const { metricsUrl } = JSON.parse(
    server
      .log()
      .split('\n')
      .find(line => line.includes('"ready"')) ?? '{}',
  )
  const text = await (await fetch(metricsUrl)).text()
  const has = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name))
  const documentedMetrics = [...watch.matchAll(/^\| `(querent_\w+)`/gm)].map(([, name = '']) => name)
  assert.deepEqual(
    documentedMetrics.toSorted(),
    [...has].filter(name => name.startsWith('querent_')).toSorted(),
  )
  for (const prefix of watch.matchAll(/`(process|nodejs_\w+)_\*`/g))
    assert.ok(
      [...has].some(name => name.startsWith(`${prefix[1]}_`)),
      prefix[0],
    )
})

test('docs/watch.md names the checks of /readyz and the fields of the log, and its daily command reports problems', async t => {
  const server = await startServerProcess(['--log-level', 'debug'])
  t.after(() => server.stop())
  const { get } = await makeLibrary(server)
  await (await get('library/e/all/count')).arrayBuffer()
  const { checks } = (await (await fetch(`${server.baseUrl}/readyz`)).json()) as {
    checks: { name: string }[]
  }
  const [, table = ''] = /^\| check .*\n\|.*\n((?:\|.*\n)+)/m.exec(watch) ?? []
  assert.deepEqual(
    [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name),
    checks.map(({ name }) => name),
  )
  const [, daily = assert.fail('no command for each day')] = /^```sh\n(.*)\n```$/m.exec(watch) ?? []
  const command = daily.replace('npx querent', launcher).replace('querent-data', server.data)
  const { stdout } = await promisify(execFile)('sh', ['-c', command])
  assert.match(stdout, /^warn backup: no backup was made/m)
  assert.doesNotMatch(stdout, /^ok|mail/m)
  await server.shutDown()
  const [, fields = ''] = /^\| field .*\n\|.*\n((?:\|.*\n)+)/m.exec(watch) ?? []
  const documentedFields = new Set([...fields.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  const lines = server
    .log()
    .split('\n')
    .filter(line => line.startsWith('{"level"'))
  const queryLine = lines.find(line => line.includes('"route":"/queries"')) ?? assert.fail('no line')
  for (const name of Object.keys(JSON.parse(queryLine))) assert.ok(documentedFields.has(name), name)
})
