import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '#config/resolve'
import { initDataFolder, start } from '#main'
import { openStorage } from '#storage/db'
import { listSigningKeys } from '#storage/signing-keys'
import { makeDataFolder, setAside } from './data-folder.ts'

const folder = async (t: TestContext): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'querent-data-folder-'))
  t.after(() => rm(directory, { recursive: true, force: true }))
  return directory
}

test('a data folder is created with its parents, for its owner only, and can be removed again', async t => {
  const base = await folder(t)
  const data = join(base, 'a', 'b')
  const undo = await makeDataFolder(data)
  assert.equal((await stat(data)).mode & 0o777, 0o700)
  assert.equal((await stat(join(data, 'key'))).mode & 0o777, 0o600)
  await writeFile(join(data, 'querent.db'), 'x')
  await undo()
  assert.deepEqual(await readdir(base), [])
})

// The recursive mkdir of Node.js never returns there (seen with Node 24).
test('a folder that cannot be created is reported at once', { skip: !existsSync('/proc/self') }, async () => {
  await assert.rejects(
    makeDataFolder('/proc/nope'),
    /^Error: cannot create the folder \/proc\/nope: .*--data$/,
  )
  await assert.rejects(makeDataFolder('/proc/nope/deeper'), /^Error: cannot create the folder .*--data$/)
})

test('the error names a file in the way and an unwritable parent', async t => {
  const base = await folder(t)
  const file = join(base, 'file')
  await writeFile(file, 'x')
  for (const data of [file, join(file, 'below')])
    await assert.rejects(makeDataFolder(data), {
      message: new RegExp(`cannot create the folder .*: ${file} is a file; choose another`),
    })
  if (process.getuid?.() === 0) return
  await assert.rejects(
    makeDataFolder('/usr/nope'),
    /this account may not write there; choose another with --data/,
  )
})

test('a weak password of the first operator is rejected, and a failed creation leaves nothing behind', async t => {
  const base = await folder(t)
  const data = join(base, 'data')
  const email = 'ada@example.org'
  const makeConfig = (flags: object) => readConfig({ flags: { data, ...flags }, env: {} }).config
  for (const password of ['short', 'password1', 'ada@example.org'])
    await assert.rejects(
      initDataFolder(makeConfig({}), { email, password }),
      (error: Error & { code?: string }) => {
        assert.equal(error.code, 'bad-parameter')
        assert.match(error.message, /^password: (too short|easy to guess)/)
        return true
      },
    )
  const blocked = makeConfig({ storage: `sqlite:${join(base, 'file', 'querent.db')}` })
  await writeFile(join(base, 'file'), 'x')
  await assert.rejects(initDataFolder(blocked, { email }), /is a file/)
  assert.equal(existsSync(data), false)
})

test('if the first operator cannot be written, no signing keys remain and the next attempt succeeds', async t => {
  const base = await folder(t)
  const data = join(base, 'data')
  const file = join(base, 'elsewhere.db')
  const { config } = readConfig({ flags: { data, storage: `sqlite:${file}` }, env: {} })
  const storage = await openStorage({ file })
  t.after(() => storage.close())
  await sql`create trigger full before insert on users begin select raise(fail, 'no room'); end`.execute(
    storage.db,
  )
  await assert.rejects(initDataFolder(config, { email: 'ada@example.org' }), /no room/)
  assert.equal(existsSync(data), false)
  assert.deepEqual(await listSigningKeys(storage.db), [])
  await sql`drop trigger full`.execute(storage.db)
  await initDataFolder(config, { email: 'ada@example.org' })
  assert.ok((await listSigningKeys(storage.db)).length > 0)
})

test('a start without the key of a folder, with another key or with a foreign address fails with that reason', async t => {
  const base = await folder(t)
  const makeConfig = (name: string, env = {}) =>
    readConfig({ flags: { data: join(base, name), port: '0', authPort: '0' }, env }).config
  const email = 'ada@example.org'
  const makeKeyEnvironment = (byte: number) => ({ QUERENT_KEY: Buffer.alloc(32, byte).toString('base64') })
  await initDataFolder(makeConfig('own'), { email })
  await rm(join(base, 'own', 'key'))
  await initDataFolder(makeConfig('given', makeKeyEnvironment(1)), { email })
  for (const name of ['own', 'given'])
    await assert.rejects(start(makeConfig(name)), /the key of .* is missing: restore the file .* QUERENT_KEY/)
  await assert.rejects(start(makeConfig('given', makeKeyEnvironment(2))), /QUERENT_KEY/)
  await assert.rejects(start({ ...makeConfig('given', makeKeyEnvironment(1)), host: '192.0.2.7' }), {
    code: 'wrong-usage',
    message: /^--host: 192\.0\.2\.7 is not an address of this machine/,
  })
})

test('if one file cannot be renamed after a move, all files keep their names', async t => {
  const data = await folder(t)
  await writeFile(join(data, 'querent.db'), 'rows')
  await mkdir(join(data, 'engine'))
  for (const existingName of ['engine.moved', 'querent.db.moved']) {
    await mkdir(join(data, existingName, 'of before'), { recursive: true })
    const namesBefore = await readdir(data)
    await assert.rejects(
      setAside(data, { storage: true, documents: true }),
      new RegExp(`cannot be renamed to .*${existingName} \\(.*nothing was moved`),
    )
    assert.deepEqual(await readdir(data), namesBefore)
    await rm(join(data, existingName), { recursive: true })
  }
})
