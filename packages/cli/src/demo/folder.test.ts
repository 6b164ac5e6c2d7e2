import assert from 'node:assert/strict'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '@querent/server/config'
import { folder } from '#stand-in/querent'
import { openDemo, remember } from './folder.ts'

const configOf = (data: string) => readConfig({ flags: { data }, env: {} }).config
const demo = {
  email: 'admin@example.org',
  password: 'p',
  imported: true as const,
  clientId: 'c',
  clientSecret: 's',
}

test('what a demo remembers is taken up by the next start, and readable by its owner only', async t => {
  const data = await folder(t)
  await remember(data, demo)
  assert.deepEqual((await openDemo(configOf(data))).demo, demo)
  assert.equal((await stat(join(data, 'demo.json'))).mode & 0o777, 0o600)
})

test("the data folder of a server is not taken for a demo's", async t => {
  const data = await folder(t)
  await writeFile(join(data, 'key'), 'x')
  await assert.rejects(
    openDemo(configOf(data)),
    /is the data folder of a server, not of a demo: name another with --data/,
  )
})

test('a damaged memory is refused with what to do', async t => {
  const data = await folder(t)
  for (const text of ['{', '[]', '{"email":1}']) {
    await writeFile(join(data, 'demo.json'), text)
    await assert.rejects(openDemo(configOf(data)), /is damaged: remove the folder/)
  }
})
