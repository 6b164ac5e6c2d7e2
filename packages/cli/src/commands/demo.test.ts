import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { requestToken } from '@querent/client'
import { entryCount } from '#dictionary/wordnet'
import { folder, querent } from '#stand-in/querent'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
/** The contract's 60 s; measured: 4 s the first time, 0.9 s again (goal: 2 s, too tight to test on a machine that does other things). */
const readyMs = 60_000

const firstLine = async (child: ChildProcess): Promise<string> => {
  assert.ok(child.stdout)
  for await (const line of createInterface({ input: child.stdout })) return line
  return assert.fail('the demo ended without a line')
}

test('the demo: ready in time, its account works, Ctrl-C stops it, a second start takes it up', async t => {
  const data = join(await folder(t), 'demo')
  const ports = ['--port', '0', '--auth-port', '0']
  const start = async () => {
    const startedMs = performance.now()
    const child = spawn(process.execPath, [main, 'demo', '--data', data, ...ports, '--json'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    t.after(() => child.kill('SIGKILL'))
    const ready = JSON.parse(await firstLine(child))
    return { child, ready, tookMs: performance.now() - startedMs }
  }

  const first = await start()
  assert.ok(first.tookMs < readyMs, `ready after ${first.tookMs} ms`)
  const { baseUrl, authUrl, clientId, clientSecret, console, ...names } = first.ready
  assert.deepEqual(names, { workspace: 'dictionary', api: 'dictionary' })
  assert.equal(console.url, `${authUrl}/console/`)
  assert.equal(console.email, 'admin@example.org')
  assert.ok(console.password.length >= 16)
  for (const name of ['demo.json', 'operator.json'])
    assert.equal((await stat(join(data, name))).mode & 0o777, 0o600)

  const { access_token } = await requestToken({ authUrl, clientId, clientSecret, audience: `${baseUrl}/` })
  const ask = (path: string) =>
    fetch(`${baseUrl}/4/dictionary/api/dictionary/${path}`, {
      headers: { authorization: `Bearer ${access_token}` },
    })
  assert.deepEqual(await (await ask('e/everything/count')).json(), { total: entryCount })
  const search = ['search', 'dictionary', 'dictionary', 'search', 'query=large feline with stripes', '--json']
  const found = JSON.parse((await querent([...search, '--data', data])).stdout)
  assert.equal(found.items[0].tuple[0].attributes.title, 'tiger')
  const second = await querent(['demo', '--data', data, ...ports])
  assert.deepEqual([second.code, second.stderr.includes('another server uses')], [1, true])

  first.child.kill('SIGINT')
  assert.deepEqual(await once(first.child, 'exit'), [0, null])
  assert.equal(existsSync(join(data, 'operator.json')), false)

  const again = await start()
  assert.deepEqual([again.ready.clientId, again.ready.clientSecret], [clientId, clientSecret])
  assert.ok(again.tookMs < readyMs, `ready again after ${again.tookMs} ms`)
  again.child.kill('SIGTERM')
  assert.deepEqual(await once(again.child, 'exit'), [0, null])

  const shown = await querent(['demo', '--data', data, ...ports, '--exit'])
  assert.equal(shown.code, 0)
  assert.ok(!shown.stdout.includes('imported'), 'a later start imports nothing')
  assert.match(shown.stdout, /tiger.*TOKEN=\$\(curl .*Ready after [\d.]+ s\./s)
})
