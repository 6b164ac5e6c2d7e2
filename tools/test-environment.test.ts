import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTestEnvironment } from './test-environment.ts'

const variables = ['TMPDIR', 'QUERENT_TEST_DISK', 'NODE_COMPILE_CACHE']

test('a part that does not start fails the files that use it, and the other parts are stopped at the end', async t => {
  const savedVariables = variables.map(name => [name, process.env[name]] as const)
  const root = mkdtempSync(join(tmpdir(), 'querent-environment-'))
  t.after(() => {
    for (const [name, value] of savedVariables)
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
    rmSync(root, { recursive: true })
  })
  writeFileSync(join(root, 'good.test.ts'), 'good')
  writeFileSync(join(root, 'broken.test.ts'), 'broken')
  let stopCount = 0
  const stop = async () => {
    stopCount++
  }
  const environment = openTestEnvironment(root, [
    { uses: /good/, start: async () => stop },
    { uses: /broken/, start: () => Promise.reject(new Error('no such program')) },
  ])
  await environment.prepare(['good.test.ts'])
  await assert.rejects(environment.prepare(['broken.test.ts']), /no such program/)
  await environment.prepare(['good.test.ts'])
  await environment.close()
  assert.equal(stopCount, 1)
})
