/** The encryption key changes as docs/operate.md says, and people and programs go on. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import Database from 'better-sqlite3'
import { newSecret } from '#server/accounts/authenticator-app'
import { deriveKey } from '#server/keys/keyring'
import { createRecordEncryption } from '#server/keys/record-encryption'
import { makeCode } from '#server/oauth/interactions/test-pages'
import { createSearchCipher } from '#server/storage/search-cipher'
import { launcher, runQuerent } from '#tests/support/command-line'
import { type Library, makeLibrary } from '#tests/support/library'
import { makeMember, type Person, registerApplication } from '#tests/support/person'
import { readBlocks } from '#tests/support/read-blocks'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

const email = 'grace@example.org'
const redirectUri = 'http://127.0.0.1:5555/callback'
const appSecret = newSecret()
/** More than the command writes until it is killed (kill-while-writing.ts). */
const searchCount = 2000

let server: ServerProcess
let library: Library
let person: Person
let clientId: string
before(async () => {
  server = await startServerProcess()
  library = await makeLibrary(server)
  person = await makeMember(server, 'library', email)
  clientId = (await registerApplication(server, 'library', 'native', redirectUri)).clientId
  await server.shutDown()
  await writeSecrets()
  await server.restart()
})
after(() => server.stop())

const openDatabase = () => new Database(join(server.data, 'querent.db'))
const readKey = async () => Buffer.from(await readFile(join(server.data, 'key'), 'utf8'), 'base64')
const makeKeyring = (key: Buffer) => ({ derive: (purpose: string) => deriveKey(key, purpose) })

/** Stores an authenticator app and searches as the server does. */
const writeSecrets = async () => {
  const keyring = makeKeyring(await readKey())
  const database = openDatabase()
  const user = database.prepare('select id from users where email = ?').pluck().get(email)
  const workspace = database.prepare('select id from workspaces').pluck().get()
  const secret = await createRecordEncryption(keyring, 'authenticator apps').encrypt(String(user), {
    secret: appSecret,
  })
  database.prepare('insert into authenticator_apps values (?, ?, 0, 0, null)').run(user, secret)
  const cipher = createSearchCipher(keyring.derive('query log'))
  const day = Math.floor(Date.now() / 86_400_000)
  const place = { workspaceId: String(workspace), day }
  const add = database.prepare(
    'insert into searches (workspace_id, day, api, parameters, encrypted_text, queries, empty) values (?, ?, ?, ?, ?, 1, 0)',
  )
  database.transaction(() => {
    for (let index = 0; index < searchCount; index++) {
      const path = `search/query=${index}`
      add.run(workspace, day, 'library', cipher.hash(place.workspaceId, path), cipher.encrypt(place, path))
    }
  })()
  database.close()
}

const countReadableSearches = async (): Promise<number> => {
  const cipher = createSearchCipher(makeKeyring(await readKey()).derive('query log'))
  const database = openDatabase()
  // Columns of the table.
  const rows = database.prepare('select workspace_id, day, encrypted_text from searches').all() as {
    workspace_id: string
    day: number
    encrypted_text: string
  }[]
  database.close()
  return rows.filter(
    ({ workspace_id, day, encrypted_text }) =>
      cipher.decrypt({ workspaceId: workspace_id, day }, encrypted_text) !== undefined,
  ).length
}

/** Signs in with the password and a code of the app, and returns the parameters that the application gets. */
const signIn = async (stepsLater: number): Promise<URLSearchParams> => {
  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    audience: server.baseUrl,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    prompt: 'login',
  })
  const { searchParams } = await person.completeFlow(
    `${server.authUrl}/authorize?${parameters}`,
    [],
    (_, form) => ('code' in form ? { ...form, code: makeCode(appSecret, stepsLater) } : form),
  )
  return searchParams
}

const fetchStatus = async (token: string): Promise<number> => {
  const reply = await fetch(`${server.baseUrl}/4/library/api/library/e/all/count`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await reply.arrayBuffer()
  return reply.status
}

/** The commands of docs/operate.md for a data folder. */
const readCommands = async (): Promise<string> => {
  const block = (await readBlocks('operate.md')).find(({ code }) => code.includes('mv querent-data/key'))
  assert.ok(block)
  return block.code.replaceAll('querent-data', 'data').replaceAll('npx querent', launcher)
}

const readSecretsCheck = async () => {
  const { stdout } = await runQuerent(['doctor', '--data', server.data, '--json'])
  // The reply of `querent doctor --json`.
  const { checks } = JSON.parse(stdout) as { checks: { name: string; state: string; message: string }[] }
  return checks.find(({ name }) => name === 'secrets')
}

test('after the documented change of the key, apps and tokens work, also if it was killed halfway', async () => {
  const token = await fetchToken(server, library)
  assert.ok((await signIn(-1)).get('code'), 'the app works before')
  await server.shutDown()

  const commands = (await readCommands()).trimEnd().split('\n')
  const replaceKey = commands.slice(0, -1).join('\n')
  const [, variable = ''] = /(QUERENT_OLD_KEY="[^"]*")/.exec(commands.at(-1) ?? '') ?? []
  const run = async (script: string) => {
    const shell = spawn('sh', ['-euc', script], { cwd: dirname(server.data), stdio: 'ignore' })
    assert.deepEqual(await once(shell, 'exit'), [0, null])
  }
  await run(replaceKey)
  const killer = join(import.meta.dirname, '../support/kill-while-writing.ts')
  const command = spawn(
    'sh',
    ['-euc', `${variable}; export QUERENT_OLD_KEY; exec ${launcher} keys re-encrypt --data data`],
    {
      cwd: dirname(server.data),
      env: { ...process.env, NODE_OPTIONS: `--import "${killer}"` },
      stdio: 'ignore',
    },
  )
  assert.deepEqual(await once(command, 'exit'), [null, 'SIGKILL'], 'it was killed while it wrote')
  assert.equal(await countReadableSearches(), 0, 'nothing has changed')

  await run(commands.at(-1) ?? '')
  assert.equal(await countReadableSearches(), searchCount)
  await server.restart()
  assert.equal(await fetchStatus(token), 200)
  assert.ok((await signIn(0)).get('code'), 'the same app works')
  assert.equal(await readSecretsCheck(), undefined)
  const { code, stderr } = await runQuerent(['keys', 're-encrypt', '--data', server.data], {
    env: { QUERENT_OLD_KEY: (await readFile(join(server.data, '../old-key'), 'utf8')).trim() },
  })
  assert.equal(code, 1)
  assert.match(stderr, /another server uses/)
})

test('a start with another key says what it cannot read, and re-encrypt repairs it', async t => {
  await server.shutDown()
  const key = join(server.data, 'key')
  await rename(key, `${key}.before`)
  await writeFile(key, Buffer.alloc(32, 7).toString('base64'), { mode: 0o600 })
  await assert.rejects(server.restart(), /encrypted with another key.*querent keys re-encrypt/)
  const database = openDatabase()
  database.exec('delete from signing_keys')
  database.close()
  await server.restart()
  const warning = () =>
    assert.match(
      server.log(),
      /"secrets":\["1 authenticator app",.*at least 1000 texts of the query log.*re-encrypt/,
    )
  await t.waitFor(warning, { timeout: 60_000 })
  const check = await readSecretsCheck()
  assert.equal(check?.state, 'fail')
  assert.match(check?.message ?? '', /\b1 authenticator app\b/)
  await server.shutDown()
  const reencrypt = (oldKey: string) =>
    runQuerent(['keys', 're-encrypt', '--data', server.data, '--json'], { env: { QUERENT_OLD_KEY: oldKey } })
  const mistyped = await reencrypt(Buffer.alloc(32, 8).toString('base64'))
  assert.equal(mistyped.code, 1)
  const isUnreadable = ({ unreadable }: { unreadable: number }) => unreadable > 0
  assert.ok(JSON.parse(mistyped.stdout).columns.some(isUnreadable))
  const { code, stdout, stderr } = await reencrypt(await readFile(`${key}.before`, 'utf8'))
  assert.equal(code, 0, stderr)
  const { columns } = JSON.parse(stdout)
  assert.ok(columns.every(({ unreadable }: { unreadable: number }) => unreadable === 0))
  await rm(`${key}.before`)
  await server.restart()
  assert.ok((await signIn(1)).get('code'))
})
