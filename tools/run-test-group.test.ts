import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'

/** Runs a group with one file, which would never end. */
const runFile = async (t: TestContext, source: string, limits: Record<string, string>) => {
  const folder = await mkdtemp(join(tmpdir(), 'querent-group-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'endless.test.mjs')
  await writeFile(file, `import { test } from 'node:test'\n${source}`)
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = fork(join(import.meta.dirname, 'run-test-group.ts'), [file], {
    env: { ...env, ...limits },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const messages: unknown[] = []
  child.on('message', message => messages.push(message))
  const closed = once(child, 'close')
  const report = await text(child.stdout ?? assert.fail())
  const [code] = await closed
  return { code, messages, report }
}

test('a group whose failed test leaves a server behind ends with its report, and names what it left', async t => {
  const source = `import { createServer } from 'node:http'
    test('leaves a server', (t, done) => { createServer().listen(0, () => done(new Error('failed'))) })
    test('succeeds', () => {})`
  const { code, messages, report } = await runFile(t, source, { QUERENT_TEST_IDLE_MS: '1' })
  assert.equal(code, 1)
  assert.partialDeepStrictEqual(messages, [{ counts: { tests: 2, passed: 1, failed: 1 } }])
  assert.match(report, /all tests have ended.*\n.*TCPServerWrap/)
  assert.match(report, /✖ leaves a server/)
})

test('a group whose test never ends names the test when its time is over', async t => {
  const source = `test('outer', t => t.test('never ends', () => {
      setInterval(() => {}, 1000)
      return new Promise(() => {})
    }))`
  const { code, messages, report } = await runFile(t, source, {
    QUERENT_TEST_GIVE_UP_AT: String(Date.now() - 19_000),
  })
  assert.deepEqual([code, messages], [1, []])
  assert.match(report, /time of the group is over during: outer .* > never ends /)
})

test('an error that no test waits for fails the group, also if only promises lead to it', async t => {
  const source = `const fail = async () => { await null; throw new Error('nobody waits for it') }
    test('goes on', async () => {
      await null
      fail()
      await new Promise(resolve => setImmediate(resolve))
    })`
  const { code, report } = await runFile(t, source, {})
  assert.equal(code, 1)
  assert.match(report, /nobody waits for it/)
})
