import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { folder, program, querent } from '#stand-in/querent'

const [command, ...firstArgs] = program

interface Serving {
  child: ChildProcess
  log: () => string
  /** A request whose body never arrives. */
  stalled: Socket
}

const serve = async (t: TestContext, shutdownSeconds: number): Promise<Serving> => {
  const data = join(await folder(t), 'data')
  assert.equal((await querent(['init', '--data', data, '--admin', 'a@example.org'])).code, 0)
  const options = ['--port', '0', '--auth-port', '0', '--shutdown-seconds', String(shutdownSeconds), '--json']
  const child = spawn(command, [...firstArgs, 'serve', '--data', data, ...options])
  t.after(() => child.kill('SIGKILL'))
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const { port } = new URL(JSON.parse(line).authUrl)
  const stalled = connect(Number(port), '127.0.0.1')
  stalled.on('error', () => {})
  t.after(() => stalled.destroy())
  stalled.write(
    'POST /oauth/token HTTP/1.1\r\nhost: x\r\ncontent-type: application/x-www-form-urlencoded\r\ncontent-length: 99\r\nexpect: 100-continue\r\n\r\na=',
  )
  // 100 Continue means that the server has the request and waits for the rest of its body.
  await once(stalled, 'data')
  return { child, log: () => log, stalled }
}

test('after SIGTERM a server waits --shutdown-seconds for requests, cuts the rest, logs that, and exits with 0', async t => {
  const { child, log, stalled } = await serve(t, 1)
  const cut = once(stalled, 'close')
  const startedMs = performance.now()
  child.kill('SIGTERM')
  // The `close` event comes after all output.
  assert.deepEqual(await once(child, 'close'), [0, null])
  const tookMs = performance.now() - startedMs
  assert.ok(tookMs > 900 && tookMs < 15_000, `stopped after ${tookMs} ms`)
  await cut
  assert.equal(log().match(/stopped before the last requests ended: their connections were cut/g)?.length, 1)
})

test('a second signal ends the server at once', async t => {
  const { child } = await serve(t, 60)
  const exited = once(child, 'exit')
  // Two signals within 300 ms count as one, because npm forwards Ctrl-C a second time.
  const hasEnded = () => {
    child.kill('SIGTERM')
    assert.notEqual(child.exitCode, null)
  }
  await t.waitFor(hasEnded, { interval: 100, timeout: 9 * 60_000 })
  assert.deepEqual(await exited, [1, null])
})

test('if public addresses do not answer from this machine, the ready line names the ports and commands reach the server', async t => {
  const data = join(await folder(t), 'data')
  assert.equal((await querent(['init', '--data', data, '--admin', 'a@example.org'])).code, 0)
  // The system never assigns these ports.
  const [baseUrl, authUrl] = ['https://127.0.0.1:1', 'https://127.0.0.1:2']
  const addresses = ['--base-url', baseUrl, '--auth-url', authUrl]
  const options = ['--port', '0', '--auth-port', '0', ...addresses]
  const child = spawn(command, [...firstArgs, 'serve', '--data', data, ...options])
  t.after(() => child.kill('SIGKILL'))
  child.stderr.resume()
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const readyPattern =
    /queries at https:\/\/\S+ \(port (\d+)\), authorization at https:\/\/\S+ \(port (\d+)\), console at https:\/\/127\.0\.0\.1:2\/console\/$/
  const [, port, authPort] = readyPattern.exec(line) ?? assert.fail(line)
  const origins = [`http://127.0.0.1:${port}/healthz`, `http://127.0.0.1:${authPort}/healthz`]
  for (const origin of origins) assert.equal((await fetch(origin)).status, 200)
  const listed = await querent(['users', 'list', '--data', data, '--json'])
  assert.equal(listed.code, 0, listed.stderr)
  assert.match(listed.stdout, /a@example\.org/)
  const token = await querent(['token', '--data', data])
  assert.equal(token.code, 0, token.stderr)
  const claims = JSON.parse(Buffer.from(token.stdout.split('.')[1] ?? '', 'base64url').toString())
  assert.equal(claims.aud, baseUrl)
})

test('after a server was killed, commands wait for the next one, but give up soon if there is none', async t => {
  const data = join(await folder(t), 'data')
  assert.equal((await querent(['init', '--data', data, '--admin', 'a@example.org'])).code, 0)
  const start = () => {
    const child = spawn(command, [...firstArgs, 'serve', '--data', data, '--port', '0', '--auth-port', '0'])
    t.after(() => child.kill('SIGKILL'))
    child.stderr.resume()
    return child
  }
  const file = join(data, 'operator.json')
  const killed = start()
  await once(killed.stdout, 'data')
  killed.kill('SIGKILL')
  await once(killed, 'close')
  assert.ok(existsSync(file))
  const credentials = readFileSync(file, 'utf8')
  const next = start()
  const isTakenBack = () => assert.ok(!existsSync(file) || readFileSync(file, 'utf8') !== credentials)
  await t.waitFor(isTakenBack, { interval: 1, timeout: 9 * 60_000 })
  const listed = await querent(['users', 'list', '--data', data])
  assert.equal(listed.code, 0, listed.stderr)
  assert.ok(!existsSync(`${file}.former`))
  next.kill('SIGTERM')
  await once(next, 'close')
  const withoutServer = await querent(['users', 'list', '--data', data])
  assert.equal(withoutServer.code, 1)
  assert.match(
    withoutServer.stderr,
    /^querent: no server is running on \S+, and none became ready within \d+ s: start it with/,
  )
})

test('SIGTERM stops a server at once while it waits for its own http address, before it is ready', async t => {
  const data = join(await folder(t), 'data')
  assert.equal((await querent(['init', '--data', data, '--admin', 'a@example.org'])).code, 0)
  // It accepts connections and never answers, like a proxy whose upstream hangs.
  const requests: Socket[] = []
  const hanging = createServer(socket => requests.push(socket.on('error', () => {})))
  t.after(() => {
    for (const socket of requests) socket.destroy()
    hanging.close()
  })
  hanging.listen(0, '127.0.0.1')
  await once(hanging, 'listening')
  // A listening TCP server has an address of this form.
  const { port } = hanging.address() as AddressInfo
  const options = ['--port', '0', '--auth-port', '0', '--base-url', `http://127.0.0.1:${port}`]
  const child = spawn(command, [...firstArgs, 'serve', '--data', data, ...options])
  t.after(() => child.kill('SIGKILL'))
  child.stderr.resume()
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(hanging, 'connection')
  child.kill('SIGTERM')
  // After 120 s without an answer it would exit with 1.
  assert.deepEqual(await once(child, 'close'), [0, null])
  assert.equal(output, '')
})
