/** `querent backup` and `querent restore`: one file holds all data of a running server, and restores it on either storage. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { describeFailure } from '#cli/command-line/failure'
import { readConfig } from '#server/config/resolve'
import { restoreDataFolder } from '#server/main'
import { freshDatabase } from '#server/storage/test-postgres'
import { runQuerent } from '#tests/support/command-line'
import { books, type Library, makeLibrary } from '#tests/support/library'
import { makeMember, openPerson, registerApplication } from '#tests/support/person'
import { fetchToken, type ServerProcess, startServerProcess } from '#tests/support/started-server'

let server: ServerProcess
let library: Library
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-backup-'))
  server = await startServerProcess()
  library = await makeLibrary(server)
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const pathInFolder = (name: string) => join(folder, name)
const backup = async (name: string): Promise<string> => {
  await server.run(['backup', pathInFolder(name)])
  return pathInFolder(name)
}
const restore = (file: string, data: string, env: Record<string, string> = {}) =>
  runQuerent(['restore', file, '--data', data, '--json'], { env })

/** Restores in this process, which must fail. Returns the lines that the command prints of it. */
const failToRestore = async (file: string, data: string, storage: string): Promise<string[]> => {
  const { config } = readConfig({ flags: { data, ...(storage === '' ? {} : { storage }) }, env: {} })
  try {
    await restoreDataFolder(config, file)
  } catch (error) {
    return describeFailure(error, {}, path => path)
  }
  return assert.fail(`${file} was restored`)
}

/** Starts the server on a restored folder, at the same addresses. `storage` is that of the restored server; '' means in its data folder. */
const restartWith = async (file: string, storage: string) => {
  await server.shutDown()
  await rm(server.data, { recursive: true })
  process.env.QUERENT_STORAGE = storage
  const restored = await restore(file, server.data)
  assert.equal(restored.code, 0, restored.stderr)
  await server.restart()
  return JSON.parse(restored.stdout)
}

const readTotal = async (reply: Response): Promise<number> =>
  // The contract's reply to `count`.
  ((await reply.json()) as { total: number }).total

const queryPaths = [
  'library/e/search/p/query/golden%20river/results',
  'library/e/search/p/query/winter/options/genre',
  'library/e/all/statistics',
  'library/e/book/p/id/https%3A%2F%2Flibrary.example%2Fbooks%2Fb042/results',
]

test('a backup restored on the other storage, and back, has the same data as the server', async () => {
  const redirectUri = 'http://127.0.0.1:9/callback'
  const reader = await makeMember(server, 'library', 'reader@example.org')
  const { clientId } = await registerApplication(server, 'library', 'browser', redirectUri)
  const authorize = `${server.authUrl}/authorize?${new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: 'openid',
    resource: server.baseUrl,
    code_challenge: createHash('sha256').update('v'.repeat(43)).digest('base64url'),
    code_challenge_method: 'S256',
  })}`
  assert.ok((await reader.completeFlow(authorize)).searchParams.has('code'))
  const tokens = async (form: Record<string, string>) => {
    const reply = await fetch(`${server.authUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: clientId, ...form }),
    })
    // RFC 6749, sections 5.1 and 5.2.
    return (await reply.json()) as { access_token?: string; refresh_token?: string; error?: string }
  }
  const refresh = ({ refresh_token = '' }: { refresh_token?: string }) =>
    tokens({ grant_type: 'refresh_token', refresh_token })
  /** Tokens of a sign-in and two refreshes, oldest first. */
  const family = async () => {
    const authorizeUrl = `${authorize.replace('scope=openid', 'scope=openid+offline_access')}`
    const code = (await reader.completeFlow(authorizeUrl)).searchParams.get('code') ?? ''
    const verifier = { redirect_uri: redirectUri, code_verifier: 'v'.repeat(43) }
    const first = await tokens({ grant_type: 'authorization_code', code, ...verifier })
    const second = await refresh(first)
    return [first, second, await refresh(second)] as const
  }
  const families = [await family(), await family()]
  const revoked = await fetchToken(server, library)
  await fetch(`${server.authUrl}/oauth/revoke`, {
    method: 'POST',
    body: new URLSearchParams({
      token: revoked,
      client_id: library.clientId,
      client_secret: library.clientSecret,
    }),
  })
  await server.run(['import', 'library', 'books', '-', '--replace', '--stage'], {
    input: books
      .slice(0, 7)
      .map(book => JSON.stringify(book))
      .join('\n'),
  })
  const answers = () => Promise.all(queryPaths.map(async path => (await library.get(path)).text()))
  const generations = () => server.run(['generations', 'list', 'library', 'books'])
  /** The audit log without the entries that every backup adds. */
  const audit = async () => {
    // The JSON reply of `querent audit`.
    const entries = (await server.run(['audit'])) as { action: string }[]
    return entries.filter(({ action }) => action !== 'makeBackup')
  }
  const readState = async () => ({
    answers: await answers(),
    generations: await generations(),
    audit: await audit(),
  })
  const originalState = await readState()
  assert.match(originalState.answers[0] ?? '', /The silent river/)
  assert.doesNotMatch(originalState.answers.join(), /"message"/)

  for (const [name, storage] of [
    ['from-sqlite', await freshDatabase()],
    ['from-postgres', ''],
  ] as const) {
    const file = await backup(name)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const restored = await restartWith(file, storage)
    const { users, workspaces, documents, documentsNotLive } = restored
    assert.deepEqual([users, workspaces, documents, documentsNotLive], [2, 1, 200, 7], name)
    // A token from before is valid, because the same keys verify it.
    assert.deepEqual(await readState(), originalState, name)
    const revokedReply = await fetch(`${server.baseUrl}/4/library/api/${queryPaths[0]}`, {
      headers: { authorization: `Bearer ${revoked}` },
    })
    assert.equal(revokedReply.status, 401, 'what was revoked stays so')
    const [replaced, , newest] = families.shift() ?? assert.fail()
    for (const token of [replaced, newest])
      assert.equal((await refresh(token)).error, 'invalid_grant', 'a refresh token replayed ends its family')
    const endedReply = await fetch(`${server.baseUrl}/4/library/api/${queryPaths[0]}`, {
      headers: { authorization: `Bearer ${newest.access_token}` },
    })
    assert.equal(endedReply.status, 401)
    assert.ok(await fetchToken(server, library), 'the Client Secret is good')
    const pages: string[] = []
    assert.ok((await reader.completeFlow(authorize, pages)).searchParams.has('code'))
    assert.deepEqual(pages, [], 'who was signed in is signed in, and asked for nothing anew')
    const elsewhere = openPerson(server, reader.email, reader.password)
    assert.ok((await elsewhere.completeFlow(authorize)).searchParams.has('code'), 'the password is good')
  }
  await server.run(['generations', 'promote', 'library', 'books', '2'])
  const count = await library.get('library/e/all/count')
  assert.equal(await readTotal(count), 7, 'the staged generation came along')
  await server.run(['generations', 'rollback', 'library', 'books'])
})

test('a backup contains everything that was acknowledged before it, and delays nobody, however busy the server is', async () => {
  const acknowledged: string[] = []
  let done = false
  const importRepeatedly = async (worker: number) => {
    for (let n = 0; !done; n++) {
      const batch = Array.from({ length: 50 }, (_, index) => ({
        ...books[index],
        id: `w${worker}-${n}-${index}`,
      }))
      await server.run(['import', 'library', 'books', '-'], {
        input: batch.map(book => JSON.stringify(book)).join('\n'),
      })
      acknowledged.push(...batch.map(({ id }) => id))
    }
  }
  /** Each replacement supersedes the one before, which is dropped after a while. */
  const replacing = async () => {
    while (!done)
      await server.run(['import', 'library', 'other', '-', '--replace'], {
        input: books.map(book => JSON.stringify(book)).join('\n'),
      })
  }
  const statuses: number[] = []
  const queryRepeatedly = async () => {
    while (!done) statuses.push((await library.get('library/e/all/count')).status)
  }
  await server.run(['apply', await writeExtendedWorkspace()])
  const work = Promise.all([importRepeatedly(1), importRepeatedly(2), replacing(), queryRepeatedly()])
  while (acknowledged.length < 100) await library.get('library/e/all/count')
  const acknowledgedBefore = [...acknowledged]
  const file = await backup('busy')
  done = true
  await work
  assert.deepEqual([...new Set(statuses)], [200])
  await restartWith(file, '')
  for (const id of acknowledgedBefore) {
    const countReply = await library.get(
      `library/e/book/p/id/${encodeURIComponent(`https://library.example/books/${id}`)}/count`,
    )
    assert.equal(await readTotal(countReply), 1, id)
  }
})

/** The library with another collection. */
const writeExtendedWorkspace = async (): Promise<string> => {
  const { stdout: source } = await runQuerent(['export', 'library', '--data', server.data])
  const file = pathInFolder('with-other.yaml')
  await writeFile(
    file,
    source.replace(
      /^collections:\n/m,
      'collections:\n  other:\n    id: { field: id }\n    fields: { title: { type: text } }\n',
    ),
  )
  return file
}

test('a token for queries cannot read a backup', async () => {
  const reply = await fetch(`${server.authUrl}/manage/v1/backup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${library.token}` },
  })
  assert.equal(reply.status, 401)
})

test('backup never overwrites an existing file', async () => {
  await writeFile(pathInFolder('precious'), 'precious')
  const result = await runQuerent(['backup', pathInFolder('precious'), '--data', server.data])
  assert.deepEqual(
    [result.code, result.stderr],
    [1, `querent: ${pathInFolder('precious')} already exists: choose another name\n`],
  )
  assert.equal(await readFile(pathInFolder('precious'), 'utf8'), 'precious')
})

test('restore rejects a damaged, forged, newer or misplaced backup with one line, and leaves nothing behind', async t => {
  const file = await backup('good')
  const packed = await readFile(file)
  const lines = gunzipSync(packed).toString().trimEnd().split('\n').slice(0, -1)
  /** Writes lines with correct checksums. */
  /** `undefined` leaves the line out. */
  const forgeBackup = (change: (line: string) => string | undefined) => {
    const changed = lines.map(change).filter(line => line !== undefined)
    const text = changed.map(line => `${line}\n`).join('')
    const count = (start: string) => changed.filter(line => line.startsWith(start)).length
    const end = {
      rows: count('{"table"'),
      generations: count('{"generation"'),
      documents: count('{"document"'),
      sha256: createHash('sha256').update(text).digest('hex'),
    }
    return gzipSync(`${text}${JSON.stringify({ end })}\n`)
  }
  const flipByte = (place: number) => {
    const copy = Buffer.from(packed)
    copy.writeUInt8((copy.readUInt8(place) ^ 0x10) & 0xff, place)
    return copy
  }
  const replaceHeader = (change: object) =>
    forgeBackup(line =>
      line.startsWith('{"querentBackup"') ? JSON.stringify({ ...JSON.parse(line), ...change }) : line,
    )
  const id =
    /^\{"generation":"([^"]+)"/.exec(lines.find(line => line.startsWith('{"generation"')) ?? '')?.[1] ?? ''
  assert.notEqual(id, '')
  const wrong: [name: string, content: Uint8Array, reason: RegExp][] = [
    ['cut', packed.subarray(0, packed.length - 20), /is damaged: .*; use another copy/],
    ['half', packed.subarray(0, packed.length / 2), /is damaged: its end is missing; use another copy/],
    ['empty', Buffer.alloc(0), /not a backup of Querent|damaged/],
    ['a byte at the start', flipByte(0), /it is not a backup of Querent/],
    ['a byte in the middle', flipByte(Math.floor(packed.length / 2)), /is damaged: .*; use another copy/],
    ['a byte near the end', flipByte(packed.length - 30), /is damaged: .*; use another copy/],
    ['no sums', gzipSync(`${lines.join('\n')}\n`), /is damaged: its end is missing/],
    ['other text', gzipSync('hello\n'), /it is not a backup of Querent/],
    ['something else', randomBytes(1000), /it is not a backup of Querent/],
    [
      'a word changed',
      gzipSync(gunzipSync(packed).toString().replace('golden', 'silver')),
      /is damaged: its content does not match its checksum/,
    ],
    [
      'climbs out',
      forgeBackup(line => line.replaceAll(id, '../../climbed')),
      /is damaged: line \d+ is unknown/,
    ],
    [
      'another table',
      forgeBackup(line => line.replace('{"table":"members"', '{"table":"sqlite_master"')),
      /is damaged: line \d+ is unknown/,
    ],
    ['later format', replaceHeader({ querentBackup: 2 }), /a later version of Querent created it/],
    [
      'later storage',
      replaceHeader({ migration: '9999-later' }),
      /a later version of Querent created it \(storage "9999-later"\)/,
    ],
    [
      'another key',
      replaceHeader({ key: randomBytes(32).toString('base64') }),
      /is damaged: it contains another key/,
    ],
    ['no key', replaceHeader({ key: null }), /the server had it from QUERENT_KEY: give the same QUERENT_KEY/],
    // Its checksums are correct, but the tables reject a row. Restore notices when half of it is written.
    [
      'a row twice',
      forgeBackup(line =>
        line.startsWith('{"table":"audit"') ? line.replace(/"seq":\d+/, '"seq":1') : line,
      ),
      /./,
    ],
  ]
  const database = await freshDatabase()
  for (const [name, content, reason] of wrong)
    await t.test(name, async () => {
      const bad = pathInFolder(`bad ${name}`)
      await writeFile(bad, content)
      for (const storage of ['', database]) {
        const failureLines = await failToRestore(bad, pathInFolder('into'), storage)
        assert.equal(failureLines.length, 1, failureLines.join('\n'))
        assert.match(failureLines[0] ?? '', reason)
        assert.ok(!existsSync(pathInFolder('into')), 'nothing is left')
      }
    })
  await t.test('the command ends with 1 and prints that line alone', async () => {
    const bad = pathInFolder('bad half')
    const failureLines = await failToRestore(bad, pathInFolder('into'), '')
    const result = await restore(bad, pathInFolder('into'), { QUERENT_STORAGE: '' })
    assert.deepEqual(
      [result.code, result.stdout, result.stderr],
      [1, '', `querent: ${failureLines.join('\n')}\n`],
    )
    assert.ok(!existsSync(pathInFolder('into')), 'nothing is left')
  })
  assert.ok(!(await readdir(tmpdir())).includes('climbed'))

  await t.test('the key comes from the environment, or is missing there', async () => {
    const otherKey = randomBytes(32).toString('base64')
    const result = await restore(file, pathInFolder('into'), { QUERENT_KEY: otherKey })
    assert.match(result.stderr, /QUERENT_KEY is not the key of the server that was backed up/)
    assert.doesNotMatch(result.stderr, new RegExp(otherKey.slice(0, 20).replaceAll(/[+/]/g, '.')))
    const serverKey = await readFile(join(server.data, 'key'), 'utf8')
    const done = await restore(
      await writeBackupFile('keyless', replaceHeader({ key: null })),
      pathInFolder('keyless data'),
      {
        QUERENT_KEY: serverKey,
      },
    )
    assert.equal(done.code, 0, done.stderr)
    assert.ok(!existsSync(join(pathInFolder('keyless data'), 'key')), 'it stays where it is given')
  })
  await t.test('a backup of an earlier version is migrated', async () => {
    const earlier = forgeBackup(line => {
      if (line.startsWith('{"querentBackup"'))
        return JSON.stringify({ ...JSON.parse(line), migration: '0007-activity' })
      const { table, row, ...rest } = JSON.parse(line)
      if (laterTables.has(table)) return undefined
      for (const column of laterColumns[table] ?? []) delete row[column]
      return JSON.stringify({ table, row, ...rest })
    })
    for (const storage of ['', await freshDatabase()]) {
      const data = pathInFolder(`earlier ${storage === ''}`)
      const result = await restore(await writeBackupFile('earlier', earlier), data, {
        QUERENT_STORAGE: storage,
      })
      assert.equal(result.code, 0, result.stderr)
      assert.equal(JSON.parse(result.stdout).workspaces, 1)
    }
  })
  await t.test('a folder or a database that is not empty is rejected', async () => {
    const full = pathInFolder('full')
    await mkdir(full)
    await writeFile(join(full, 'precious'), 'precious')
    const intoFolder = await restore(file, full)
    assert.match(intoFolder.stderr, /is not empty: choose another with --data/)
    assert.deepEqual(await readdir(full), ['precious'])
    const first = await restore(file, pathInFolder('first'), { QUERENT_STORAGE: database })
    assert.equal(first.code, 0, first.stderr)
    const second = await restore(file, pathInFolder('second'), { QUERENT_STORAGE: database })
    assert.equal(second.stderr, 'querent: the database of --storage is not empty: give an empty one\n')
    assert.ok(!existsSync(pathInFolder('second')))
  })
  await t.test('a missing file is rejected', async () => {
    const result = await restore(pathInFolder('nothing'), pathInFolder('into'))
    assert.equal(result.stderr, `querent: ${pathInFolder('nothing')}: there is no such file\n`)
  })
})

/** Tables and columns that later migrations added. */
const laterTables: ReadonlySet<string> = new Set([
  'workspace_texts',
  'workspace_history',
  'usage_counts',
  'sign_ins',
  'provider_tokens',
  'service_addresses',
])
const laterColumns: Readonly<Record<string, readonly string[]>> = {
  client_secrets: ['hint'],
  generations: ['lost_reason'],
  invitations: ['rights_json'],
  members: ['from_provider', 'rights_json', 'given_json', 'ends_at'],
  one_time_links: ['email'],
  passkeys: ['rp_id'],
  registration_tokens: ['created_by'],
}

const writeBackupFile = async (name: string, content: Uint8Array): Promise<string> => {
  await writeFile(pathInFolder(name), content)
  return pathInFolder(name)
}
