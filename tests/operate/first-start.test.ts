/** The first start prints a link that creates the first operator's password. No default password exists (issue 7). */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, type TestContext, test } from 'node:test'
import pg from 'pg'
import type { Browser } from 'playwright-core'
import { freshDatabase } from '#server/storage/test-postgres'
import { openChromium } from '#tests/support/chromium'
import { launcher, runQuerent } from '#tests/support/command-line'
import { adminEmail, signIn, visitConsole, waitUntilSettled } from '#tests/support/console-visit'
import { type ServerProcess, startServerProcess } from '#tests/support/started-server'

const firstPassword = 'a long phrase of the first operator'
const laterPassword = 'another phrase, chosen when locked out'

let server: ServerProcess
let browser: Browser
before(async () => {
  server = await startServerProcess([], { password: undefined })
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

const link = (): string => {
  const first = server.firstOperator()
  assert.ok(first, 'no link was printed')
  assert.equal(first.email, adminEmail)
  const lastsMs = Date.parse(first.expiresAt) - Date.now()
  assert.ok(lastsMs > 50 * 60_000 && lastsMs <= 60 * 60_000, first.expiresAt)
  assert.ok(first.url.startsWith(`${server.authUrl}/password/reset/`))
  return first.url
}
const fetchStatus = async (url: string): Promise<number> =>
  (await fetch(url, { headers: { accept: 'text/html' } })).status

test('nobody can sign in without a password, and each start prints the valid link', async () => {
  const first = link()
  assert.equal(await fetchStatus(first), 200)
  await server.kill()
  await server.restart()
  assert.equal(link(), first)
  assert.equal(await fetchStatus(first), 200)
})

test('the link leads to a password and then to the console, works once, and later starts print none', async () => {
  const visit = await visitConsole(browser, server)
  const { page } = visit
  const usedLink = link()
  await page.goto(usedLink)
  await page.getByRole('heading', { level: 1, name: 'Choose a password' }).waitFor()
  assert.equal(await page.locator('[name=email]').inputValue(), adminEmail)
  await visit.expectRefused([422], async () => {
    await page.locator('[name=password]').fill('password')
    await page.locator('[value=save]').click()
    await page.locator('[name=password][aria-invalid=true]').waitFor()
  })
  await page.locator('[name=password]').fill(firstPassword)
  await page.locator('[value=save]').click()
  await page.getByRole('heading', { level: 1, name: 'Your password is saved' }).waitFor()
  await page.getByText(`Signed in as ${adminEmail}`).waitFor()
  await page.locator('a.button').click()
  // Nobody has to type the password that was just chosen.
  await waitUntilSettled(page)
  assert.match(page.url(), /\/console\//)
  await visit.end()

  assert.equal(await fetchStatus(usedLink), 410)
  await server.kill()
  await server.restart()
  assert.equal(server.firstOperator(), undefined)
  assert.doesNotMatch(server.log(), /password/)
})

test('no file of the data folder contains the link', async () => {
  const fresh = await startServerProcess([], { password: undefined })
  try {
    const token = new URL(fresh.firstOperator()?.url ?? '').pathname.split('/').at(-1) ?? ''
    assert.match(token, /^qrl_/)
    for (const name of await readdir(fresh.data, { recursive: true })) {
      const bytes = await readFile(join(fresh.data, name)).catch(() => Buffer.alloc(0))
      assert.ok(!bytes.includes(token), name)
    }
  } finally {
    await fresh.stop()
  }
})

test('an operator who is locked out gets a link from the command line on the server and can sign in again', async () => {
  const { url } = (await server.run(['users', 'reset', adminEmail])) as { url: string }
  const visit = await visitConsole(browser, server)
  const { page } = visit
  await page.goto(url)
  await page.getByRole('heading', { level: 1, name: 'Choose a new password' }).waitFor()
  await page.locator('[name=password]').fill(laterPassword)
  await page.locator('[value=save]').click()
  await page.locator('a.button').click()
  await signIn(page, adminEmail, laterPassword)
  await waitUntilSettled(page)
  assert.match(page.url(), /\/console\//)
  await visit.end()
})

test('if the data folder is missing or empty, serve names the command that creates one', async () => {
  const missingFolder = join(server.data, 'none')
  const result = await runQuerent(['serve', '--data', missingFolder])
  assert.equal(result.code, 1)
  assert.match(
    result.stderr,
    /there is no data folder .*none: create it with `querent init --data .*none --admin EMAIL`/,
  )
})

test('the commands for your own data in README.md work when they are pasted', async t => {
  const readme = await readFile(join(import.meta.dirname, '..', '..', 'README.md'), 'utf8')
  const [, block = assert.fail()] = /## Your own search\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? []
  const base = await folder(t)
  await writeFile(join(base, 'npx'), '#!/bin/sh\nexec "$@"\n', { mode: 0o700 })
  const script = `set -e\ntrap 'kill $!; wait' EXIT\n${block}`
  const shell = spawn('bash', ['-c', script], {
    cwd: base,
    env: {
      ...process.env,
      PATH: `${base}:${dirname(launcher)}:${process.env.PATH}`,
      QUERENT_PORT: '0',
      QUERENT_AUTH_PORT: '0',
    },
  })
  const [output, errors, [status]] = await Promise.all([
    text(shell.stdout),
    text(shell.stderr),
    once(shell, 'close'),
  ])
  assert.equal(status, 0, output + errors)
  assert.match(output, /2 accepted into shop\/products[\s\S]*Kettle/)
})

const folder = async (t: TestContext): Promise<string> => {
  const newFolder = await mkdtemp(join(tmpdir(), 'querent-first-start-'))
  t.after(() => rm(newFolder, { recursive: true, force: true }))
  return newFolder
}
const ask = async (connection: string, statement: string) => {
  const client = new pg.Client({ connectionString: connection })
  await client.connect()
  const { rows } = await client.query(statement)
  await client.end()
  return rows
}
const listTables = (connection: string) =>
  ask(connection, "select table_name from information_schema.tables where table_schema = 'public'")
const assertRefused = async (args: readonly string[], env: Record<string, string>, reason: RegExp) => {
  const { code, stdout, stderr } = await runQuerent(args, { env })
  assert.deepEqual([code, stdout, stderr.split('\n').length], [1, '', 2], stderr)
  assert.match(stderr, reason)
}

test('init creates no second first operator in a storage that is in use, whatever the key, and writes no key file if the key is elsewhere', async t => {
  const base = await folder(t)
  const QUERENT_STORAGE = await freshDatabase()
  const QUERENT_KEY = randomBytes(32).toString('base64')
  const init = (name: string) => ['init', '--data', join(base, name), '--admin', `${name}@example.org`]
  const first = await runQuerent(init('ada'), { env: { QUERENT_STORAGE, QUERENT_KEY } })
  assert.equal(first.code, 0, first.stderr)
  assert.ok(!existsSync(join(base, 'ada', 'key')))
  assert.match(
    first.stdout,
    /^Created .* Start the servers with the same settings: QUERENT_STORAGE=postgres:\/\/… QUERENT_KEY=… querent serve --data \S+ada\n/,
  )
  const inUseMessage =
    /has people already: to add a node, start 'querent serve' with the same --storage and QUERENT_KEY/
  await assertRefused(init('eve'), { QUERENT_STORAGE, QUERENT_KEY }, inUseMessage)
  await assertRefused(init('eve'), { QUERENT_STORAGE, QUERENT_KEY: '' }, inUseMessage)
  assert.deepEqual(await ask(QUERENT_STORAGE, 'select email from users'), [{ email: 'ada@example.org' }])
  assert.ok(!existsSync(join(base, 'eve')))
  const serve = ['serve', '--data', join(base, 'ada')]
  const another = randomBytes(32).toString('base64')
  await assertRefused(serve, { QUERENT_STORAGE, QUERENT_KEY: another }, /QUERENT_KEY/)
  await assertRefused(
    serve,
    { QUERENT_KEY },
    /there are no people in .*: set --storage or QUERENT_STORAGE to the storage of /,
  )
  assert.ok(!existsSync(join(base, 'ada', 'querent.db')))

  const foreignDatabase = await freshDatabase()
  await ask(foreignDatabase, 'create table precious (word text)')
  await assertRefused(
    init('eve'),
    { QUERENT_STORAGE: foreignDatabase },
    /is not empty and not a storage of Querent/,
  )
  assert.equal((await listTables(foreignDatabase)).length, 1)

  // The state after a start that ended before it created an operator.
  await ask(QUERENT_STORAGE, 'delete from users')
  const secondInit = await runQuerent(init('bob'), { env: { QUERENT_STORAGE, QUERENT_KEY } })
  assert.equal(secondInit.code, 0, secondInit.stderr)
})

test('a node that cannot start on PostgreSQL says what is missing, and writes nothing there', async t => {
  const base = await folder(t)
  const QUERENT_STORAGE = await freshDatabase()
  const QUERENT_KEY = randomBytes(32).toString('base64')
  const serve = ['serve', '--data', join(base, 'none')]
  const elsewhere = [...serve, '--engine', 'http://127.0.0.1:9']
  for (const roleFlags of [[], ['--only', 'query']])
    await assertRefused(
      [...elsewhere, ...roleFlags],
      { QUERENT_STORAGE, QUERENT_KEY },
      /the storage has no operator: run 'querent init /,
    )
  assert.deepEqual(await listTables(QUERENT_STORAGE), [])
  await assertRefused(elsewhere, { QUERENT_STORAGE }, /QUERENT_KEY is missing/)
  await assertRefused(
    ['serve', '--data', join(base, 'other')],
    { QUERENT_STORAGE, QUERENT_KEY },
    /if this node shares a storage, give --engine/,
  )

  const init = ['init', '--data', join(base, 'made'), '--admin', 'ada@example.org']
  const { username: user, pathname } = new URL(QUERENT_STORAGE)
  const missing = QUERENT_STORAGE.replace(pathname, '/nowhere')
  await assertRefused(
    init,
    { QUERENT_STORAGE: missing },
    /cannot be reached \(database "nowhere" does not exist\)/,
  )
  const wrong = new URL(QUERENT_STORAGE)
  wrong.password = 'wrong'
  await assertRefused(
    init,
    { QUERENT_STORAGE: wrong.href },
    new RegExp(`cannot be reached \\(password authentication failed for user "${user}"\\): check --storage`),
  )
  const role = `role_${randomBytes(4).toString('hex')}`
  await ask(QUERENT_STORAGE, `create role ${role} login password 'pass'`)
  t.after(() => ask(QUERENT_STORAGE, `drop role ${role}`))
  const poor = new URL(QUERENT_STORAGE)
  Object.assign(poor, { username: role, password: 'pass' })
  await assertRefused(
    init,
    { QUERENT_STORAGE: poor.href },
    /\(permission denied for schema public\): the role in --storage needs CREATE and USAGE/,
  )
})
