/** Cleanup of processes when a bench ends. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'

const pinned = import.meta.resolve('./pinned.ts')

/** Runs a module that may use `startPinned`. */
const runModule = (text: string) =>
  spawn(process.execPath, ['--input-type=module', '-e', `import { startPinned } from '${pinned}'\n${text}`], {
    stdio: ['ignore', 'inherit', 'pipe'],
  })

test('when a bench ends, its processes and their child processes end too', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  const connect = `'${process.execPath}' -e 'net.connect(${address.port}, "127.0.0.1")' & wait`
  const bench = runModule(`startPinned(0, 'sh', ['-c', ${JSON.stringify(connect)}])`)
  const [socket] = (await once(server, 'connection')) as [Socket]
  const closed = once(socket.resume(), 'close')
  bench.kill('SIGTERM')
  assert.deepEqual(await once(bench, 'exit'), [143, null])
  await closed
  server.close()
})

test('stopping a process does not fail while nobody awaits its message', async () => {
  const bench = runModule(`
    const child = startPinned(0, process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    child.message()
    child.line(line => line)
    await child.stop()`)
  let output = ''
  bench.stderr.on('data', chunk => {
    output += chunk
  })
  const [code] = await once(bench, 'close')
  assert.equal(code, 0, output)
})
