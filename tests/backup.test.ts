/** `querent backup` and `querent restore`: all that a running server keeps in one file, and all of it back, on either storage. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { freshDatabase } from '#server/storage/test-postgres'
import { books, type Library, makeLibrary } from './library.ts'
import { makeMember, openPerson, registerApplication } from './person.ts'
import { fetchToken, querent, type StartedServer, startServer } from './started-server.ts'

let server: StartedServer
let library: Library
let folder: string
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-backup-'))
  server = await startServer()
  library = await makeLibrary(server)
})
after(async () => {
  await server.stop()
  await rm(folder, { recursive: true })
})

const at = (name: string) => join(folder, name)
const backup = async (name: string): Promise<string> => {
  await server.run(['backup', at(name)])
  return at(name)
}
const restore = (file: string, data: string, env: Record<string, string> = {}) =>
  querent(['restore', file, '--data', data, '--json'], { env })

/** The server goes on with a restored folder, at the same addresses. `storage`: that of the restored one; '' beside its data. */
const goOnWith = async (file: string, storage: string) => {
  await server.shutDown()
  await rm(server.data, { recursive: true })
  process.env.QUERENT_STORAGE = storage
  const restored = await restore(file, server.data)
  assert.equal(restored.code, 0, restored.stderr)
  await server.restart()
  return JSON.parse(restored.stdout)
}

const totalOf = async (reply: Response): Promise<number> =>
  // The reply to `count` (query-service.md).
  ((await reply.json()) as { total: number }).total

const asked = [
  'library/e/search/p/query/golden%20river/results',
  'library/e/search/p/query/winter/options/genre',
  'library/e/all/statistics',
  'library/e/book/p/id/https%3A%2F%2Flibrary.example%2Fbooks%2Fb042/results',
]

test('a backup restored on the other storage, and back, is the server as it was', async () => {
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
  assert.ok((await reader.goThrough(authorize)).searchParams.has('code'))
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
  /** What a sign-in and two refreshes gave, oldest first. */
  const family = async () => {
    const asked = `${authorize.replace('scope=openid', 'scope=openid+offline_access')}`
    const code = (await reader.goThrough(asked)).searchParams.get('code') ?? ''
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
  const answers = () => Promise.all(asked.map(async path => (await library.get(path)).text()))
  const generations = () => server.run(['generations', 'list', 'library', 'books'])
  /** Without what every backup adds. */
  const audit = async () => {
    // The reply of `querent audit --json` (command-line.md).
    const entries = (await server.run(['audit'])) as { action: string }[]
    return entries.filter(({ action }) => action !== 'makeBackup')
  }
  const whole = async () => ({
    answers: await answers(),
    generations: await generations(),
    audit: await audit(),
  })
  const then = await whole()
  assert.match(then.answers[0] ?? '', /The silent river/)
  assert.doesNotMatch(then.answers.join(), /"message"/)

  for (const [name, storage] of [
    ['from-sqlite', await freshDatabase()],
    ['from-postgres', ''],
  ] as const) {
    const file = await backup(name)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    const restored = await goOnWith(file, storage)
    assert.deepEqual([restored.users, restored.workspaces, restored.documents], [2, 1, 207], name)
    // The token of before is good: the same keys verify it.
    assert.deepEqual(await whole(), then, name)
    const refused = await fetch(`${server.baseUrl}/4/library/api/${asked[0]}`, {
      headers: { authorization: `Bearer ${revoked}` },
    })
    assert.equal(refused.status, 401, 'what was revoked stays so')
    const [replaced, , newest] = families.shift() ?? assert.fail()
    for (const token of [replaced, newest])
      assert.equal((await refresh(token)).error, 'invalid_grant', 'a refresh token replayed ends its family')
    const ended = await fetch(`${server.baseUrl}/4/library/api/${asked[0]}`, {
      headers: { authorization: `Bearer ${newest.access_token}` },
    })
    assert.equal(ended.status, 401)
    assert.ok(await fetchToken(server, library), 'the Client Secret is good')
    const pages: string[] = []
    assert.ok((await reader.goThrough(authorize, pages)).searchParams.has('code'))
    assert.deepEqual(pages, [], 'who was signed in is signed in, and asked for nothing anew')
    const elsewhere = openPerson(server, reader.email, reader.password)
    assert.ok((await elsewhere.goThrough(authorize)).searchParams.has('code'), 'the password is good')
  }
  await server.run(['generations', 'promote', 'library', 'books', '2'])
  const count = await library.get('library/e/all/count')
  assert.equal(await totalOf(count), 7, 'the staged generation came along')
  await server.run(['generations', 'rollback', 'library', 'books'])
})

test('what was acknowledged before a backup is in it, however busy the server; nobody waits for it', async () => {
  const acknowledged: string[] = []
  let done = false
  const importing = async (worker: number) => {
    for (let n = 0; !done; n++) {
      const some = Array.from({ length: 50 }, (_, at) => ({ ...books[at], id: `w${worker}-${n}-${at}` }))
      await server.run(['import', 'library', 'books', '-'], {
        input: some.map(book => JSON.stringify(book)).join('\n'),
      })
      acknowledged.push(...some.map(({ id }) => id))
    }
  }
  /** Each takes the place of the one before, which goes after a while. */
  const replacing = async () => {
    while (!done)
      await server.run(['import', 'library', 'other', '-', '--replace'], {
        input: books.map(book => JSON.stringify(book)).join('\n'),
      })
  }
  const statuses: number[] = []
  const asking = async () => {
    while (!done) statuses.push((await library.get('library/e/all/count')).status)
  }
  await server.run(['apply', await withOther()])
  const work = Promise.all([importing(1), importing(2), replacing(), asking()])
  while (acknowledged.length < 100) await library.get('library/e/all/count')
  const before = [...acknowledged]
  const file = await backup('busy')
  done = true
  await work
  assert.deepEqual([...new Set(statuses)], [200])
  await goOnWith(file, '')
  for (const id of before) {
    const found = await library.get(
      `library/e/book/p/id/${encodeURIComponent(`https://library.example/books/${id}`)}/count`,
    )
    assert.equal(await totalOf(found), 1, id)
  }
})

/** The library with another collection. */
const withOther = async (): Promise<string> => {
  const { stdout: source } = await querent(['export', 'library', '--data', server.data])
  const file = at('with-other.yaml')
  await writeFile(
    file,
    source.replace(
      /^collections:\n/m,
      'collections:\n  other:\n    id: { field: id }\n    fields: { title: { type: text } }\n',
    ),
  )
  return file
}

test('a token for queries opens no backup', async () => {
  const reply = await fetch(`${server.authUrl}/manage/v1/backup`, {
    method: 'POST',
    headers: { authorization: `Bearer ${library.token}` },
  })
  assert.equal(reply.status, 401)
})

test('a file that is there is not written over', async () => {
  await writeFile(at('precious'), 'precious')
  const ran = await querent(['backup', at('precious'), '--data', server.data])
  assert.deepEqual(
    [ran.code, ran.stderr],
    [1, `querent: ${at('precious')} is there already: name another file\n`],
  )
  assert.equal(await readFile(at('precious'), 'utf8'), 'precious')
})

test('what is damaged, forged, of a later version, or has no place to go is refused in one line, and leaves nothing', async t => {
  const file = await backup('good')
  const packed = await readFile(file)
  const lines = gunzipSync(packed).toString().trimEnd().split('\n').slice(0, -1)
  /** With sums that are right. */
  const forged = (change: (line: string) => string) => {
    const changed = lines.map(change)
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
  const flipped = (place: number) => {
    const copy = Buffer.from(packed)
    copy.writeUInt8((copy.readUInt8(place) ^ 0x10) & 0xff, place)
    return copy
  }
  const header = (change: object) =>
    forged(line =>
      line.startsWith('{"querentBackup"') ? JSON.stringify({ ...JSON.parse(line), ...change }) : line,
    )
  const id =
    /^\{"generation":"([^"]+)"/.exec(lines.find(line => line.startsWith('{"generation"')) ?? '')?.[1] ?? ''
  assert.notEqual(id, '')
  const wrong: [name: string, content: Uint8Array, reason: RegExp][] = [
    ['cut', packed.subarray(0, packed.length - 20), /is damaged: .*; take another copy/],
    ['half', packed.subarray(0, packed.length / 2), /is damaged: its end is missing; take another copy/],
    ['empty', Buffer.alloc(0), /no backup of Querent|damaged/],
    ['a byte at the start', flipped(0), /it is no backup of Querent/],
    ['a byte in the middle', flipped(Math.floor(packed.length / 2)), /is damaged: .*; take another copy/],
    ['a byte near the end', flipped(packed.length - 30), /is damaged: .*; take another copy/],
    ['no sums', gzipSync(`${lines.join('\n')}\n`), /is damaged: its end is missing/],
    ['other text', gzipSync('hello\n'), /it is no backup of Querent/],
    ['something else', randomBytes(1000), /it is no backup of Querent/],
    [
      'a word changed',
      gzipSync(gunzipSync(packed).toString().replace('golden', 'silver')),
      /is damaged: its content is not that of its checksum/,
    ],
    [
      'climbs out',
      forged(line => line.replaceAll(id, '../../climbed')),
      /is damaged: line \d+ is not understood/,
    ],
    [
      'another table',
      forged(line => line.replace('{"table":"members"', '{"table":"sqlite_master"')),
      /is damaged: line \d+ is not understood/,
    ],
    ['later format', header({ querentBackup: 2 }), /made by a later version of Querent/],
    [
      'later storage',
      header({ migration: '9999-later' }),
      /made by a later version of Querent \(storage "9999-later"\)/,
    ],
    ['another key', header({ key: randomBytes(32).toString('base64') }), /is damaged: its key is another/],
    ['no key', header({ key: null }), /took its key from QUERENT_KEY.*: give QUERENT_KEY as it was there/],
    // Whole by its sums, but not what the tables take: found when half of it is written.
    [
      'a row twice',
      forged(line => (line.startsWith('{"table":"audit"') ? line.replace(/"seq":\d+/, '"seq":1') : line)),
      /./,
    ],
  ]
  const database = await freshDatabase()
  for (const [name, content, reason] of wrong)
    await t.test(name, async () => {
      const bad = at(`bad ${name}`)
      await writeFile(bad, content)
      for (const storage of ['', database]) {
        const ran = await restore(bad, at('into'), { QUERENT_STORAGE: storage })
        assert.deepEqual([ran.code, ran.stdout, ran.stderr.split('\n').length], [1, '', 2], ran.stderr)
        assert.match(ran.stderr, reason)
        assert.ok(!existsSync(at('into')), 'nothing is left')
      }
    })
  assert.ok(!(await readdir(tmpdir())).includes('climbed'))

  await t.test('the key of the environment, and its absence', async () => {
    const other = randomBytes(32).toString('base64')
    const ran = await restore(file, at('into'), { QUERENT_KEY: other })
    assert.match(ran.stderr, /QUERENT_KEY is not the key of the server that was backed up/)
    assert.doesNotMatch(ran.stderr, new RegExp(other.slice(0, 20).replaceAll(/[+/]/g, '.')))
    const own = await readFile(join(server.data, 'key'), 'utf8')
    const done = await restore(await written('keyless', header({ key: null })), at('keyless data'), {
      QUERENT_KEY: own,
    })
    assert.equal(done.code, 0, done.stderr)
    assert.ok(!existsSync(join(at('keyless data'), 'key')), 'it stays where it is given')
  })
  await t.test('one of an earlier version is brought to this one', async () => {
    const earlier = forged(line => {
      if (line.startsWith('{"querentBackup"'))
        return JSON.stringify({ ...JSON.parse(line), migration: '0007-activity' })
      if (!line.startsWith('{"table":"client_secrets"')) return line
      const { table, row } = JSON.parse(line)
      delete row.hint
      return JSON.stringify({ table, row })
    })
    for (const storage of ['', await freshDatabase()]) {
      const data = at(`earlier ${storage === ''}`)
      const ran = await restore(await written('earlier', earlier), data, { QUERENT_STORAGE: storage })
      assert.equal(ran.code, 0, ran.stderr)
      assert.equal(JSON.parse(ran.stdout).workspaces, 1)
    }
  })
  await t.test('a folder or a database that is not empty', async () => {
    const full = at('full')
    await mkdir(full)
    await writeFile(join(full, 'precious'), 'precious')
    const intoFolder = await restore(file, full)
    assert.match(intoFolder.stderr, /is not empty: name another with --data/)
    assert.deepEqual(await readdir(full), ['precious'])
    const first = await restore(file, at('first'), { QUERENT_STORAGE: database })
    assert.equal(first.code, 0, first.stderr)
    const second = await restore(file, at('second'), { QUERENT_STORAGE: database })
    assert.equal(second.stderr, 'querent: the database of --storage is not empty: give an empty one\n')
    assert.ok(!existsSync(at('second')))
  })
  await t.test('a file that is not there', async () => {
    const ran = await restore(at('nothing'), at('into'))
    assert.equal(ran.stderr, `querent: ${at('nothing')}: there is no such file\n`)
  })
})

const written = async (name: string, content: Uint8Array): Promise<string> => {
  await writeFile(at(name), content)
  return at(name)
}
