import assert from 'node:assert/strict'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '@querent/server/config/resolve'
import { folder } from '#stand-in/querent'
import { openDemo, saveDemo } from './folder.ts'

const configFor = (data: string) => readConfig({ flags: { data }, env: {} }).config
const demo = {
  email: 'admin@example.org',
  password: 'p',
  imported: true as const,
  clientId: 'c',
  clientSecret: 's',
}

test('the next start reuses the saved state of a demo, which only its owner can read', async t => {
  const data = await folder(t)
  await saveDemo(data, demo)
  assert.deepEqual((await openDemo(configFor(data))).demo, demo)
  assert.equal((await stat(join(data, 'demo.json'))).mode & 0o777, 0o600)
})

test('the demo rejects the data folder of a server', async t => {
  const data = await folder(t)
  await writeFile(join(data, 'key'), 'x')
  await assert.rejects(
    openDemo(configFor(data)),
    /is the data folder of a server, not of a demo: choose another with --data/,
  )
})

test('a damaged demo.json fails with advice', async t => {
  const data = await folder(t)
  for (const text of ['{', '[]', '{"email":1}']) {
    await writeFile(join(data, 'demo.json'), text)
    await assert.rejects(openDemo(configFor(data)), /is damaged: remove the folder/)
  }
})
