/** `querent keys re-encrypt` on both databases (docs/operate.md, "The encryption key"). */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { sql } from 'kysely'
import { readConfig } from '#config/resolve'
import { deriveKey, type Keyring, openKeyring } from '#keys/keyring'
import { createProviderSecrets } from '#keys/provider-secrets'
import { createRecordEncryption } from '#keys/record-encryption'
import { sealedColumns } from '#keys/sealed-columns'
import { createUnreadableCount } from '#keys/unreadable-secrets'
import { initDataFolder } from '#main'
import { connect } from '#storage/connection'
import { openStorage, type Storage } from '#storage/db'
import { findProviderSecret, saveProviderSecret } from '#storage/identity-providers'
import { addMail } from '#storage/mails'
import { listAppliedMigrations } from '#storage/migrate'
import { findRecord, saveRecord } from '#storage/oidc-records'
import { addProviderToken, findProviderToken } from '#storage/provider-tokens'
import { createSearchCipher } from '#storage/search-cipher'
import { findAuthenticatorApp, saveAuthenticatorApp } from '#storage/second-factors'
import { freshDatabase } from '#storage/test-postgres'
import { addSearches, listSearches, toDay } from '#storage/usage'
import { createUser } from '#storage/users'
import { createWorkspace } from '#storage/workspaces'
import { reencryptStorage } from './re-encrypt.ts'
import { lockDataFolder } from './startup/data-folder.ts'

const newKey = () => randomBytes(32).toString('base64')

describe('the table of sealed columns', () => {
  test('has every encrypted column of the storage, and no other', async t => {
    const folder = await mkdtemp(join(tmpdir(), 'querent-sealed-'))
    const storage = await openStorage({ file: join(folder, 'querent.db') })
    t.after(async () => {
      await storage.close()
      await rm(folder, { recursive: true })
    })
    const columns = (await storage.db.introspection.getTables()).flatMap(table =>
      table.columns.map(column => `${table.name}.${column.name}`),
    )
    const encrypted = columns.filter(name => /encrypted|sealed/.test(name))
    // The encrypted member of a JSON column has no column of its own; types require one for each purpose.
    const isMember = (name: string) => name.split('.').length > 2
    assert.deepEqual(
      sealedColumns
        .map(({ name }) => name)
        .filter(name => !isMember(name))
        .toSorted(),
      encrypted.toSorted(),
      'add the column to keys/sealed-columns.ts',
    )
    for (const { name } of sealedColumns) assert.ok(columns.includes(name.split('.').slice(0, 2).join('.')))
  })
})

const receiver = { issuer: 'https://login.example.org', clientId: 'q' }
const longPath = `e/search/p/query/${'x'.repeat(2000)}/results`

/** Writes one secret of each kind, two of searches. Returns a function that reads them. */
const writeSecrets = async (storage: Storage, keyring: Keyring) => {
  const workspace = await storage.write(w =>
    createWorkspace(w, {
      workspace: `w-${randomUUID().slice(0, 8)}`,
      settings: { queryLog: { parameters: 'full' } },
    }),
  )
  const user = await storage.write(w => createUser(w, { email: `${randomUUID()}@example.org` }))
  assert.ok(workspace && user)
  const day = toDay(Date.now())
  const apps = createRecordEncryption(keyring, 'authenticator apps')
  const secrets = createProviderSecrets(keyring)
  const tokens = createProviderSecrets(keyring, 'provider tokens')
  const records = createRecordEncryption(keyring)
  const cipher = createSearchCipher(keyring.derive('query log'))
  const tokenId = randomUUID()
  const encryptedSecret = await apps.encrypt(user.id, { secret: 'app' })
  const encryptedToken = await tokens.encrypt(tokenId, receiver, 'token')
  await storage.write(async w => {
    await saveAuthenticatorApp(w, { userId: user.id, encryptedSecret, step: 7 })
    await saveProviderSecret(w, workspace.id, await secrets.encrypt(workspace.id, receiver, 'secret'))
    await addProviderToken(w.db, {
      id: tokenId,
      workspaceId: workspace.id,
      userId: user.id,
      encryptedToken,
      expiresAt: Date.now() + 1e6,
    })
    const sealed = await records.encrypt(tokenId, { params: { state: 's' } })
    await saveRecord(w.db, { model: 'Interaction', id: tokenId, payload: { accountId: user.id, sealed } })
    await saveRecord(w.db, { model: 'Session', id: tokenId, payload: { accountId: user.id } })
    await w.db
      .insertInto('form_replies')
      .values({
        id: tokenId,
        browser: 'b',
        page: 'p',
        claim: 'c',
        sealed: await createRecordEncryption(keyring, 'replies to forms').encrypt(tokenId, {}),
        expires_at: Date.now() + 30_000,
      })
      .execute()
    const sealedMail = await createRecordEncryption(keyring, 'mails').encrypt(tokenId, { to: 'mail' })
    const mail = { id: tokenId, sealed: sealedMail, dueAt: Date.now() + 1e6, expiresAt: Date.now() + 1e6 }
    await addMail(w, mail, 1000)
    await addSearches(
      w.db,
      storage.kind,
      ['e/all/results', longPath].map(path => ({
        workspace_id: workspace.id,
        day,
        api: 'library',
        parameters: cipher.hash(workspace.id, path),
        encrypted_text: cipher.encrypt({ workspaceId: workspace.id, day }, path.slice(0, 1024)),
        queries: 3,
        empty: 1,
      })),
    )
  })
  return async ({ db }: Storage, current: Keyring) => {
    const app = await findAuthenticatorApp(db, user.id)
    const secret = await findProviderSecret(db, workspace.id)
    const token = await findProviderToken(db, tokenId)
    const record = await findRecord(db, 'Interaction', { id: tokenId })
    const currentCipher = createSearchCipher(current.derive('query log'))
    const searches = await listSearches(db, workspace.id, { from: day, to: day }, { count: 9 })
    const mail = await db.selectFrom('mails').select('sealed').where('id', '=', tokenId).executeTakeFirst()
    assert.ok(app && secret && token && mail && typeof record?.sealed === 'string')
    return {
      app: (
        await createRecordEncryption(current, 'authenticator apps').decrypt(user.id, app.encrypted_secret)
      )?.secret,
      step: app.last_step,
      secret: await createProviderSecrets(current).decrypt(workspace.id, receiver, secret.encrypted_secret),
      token: await createProviderSecrets(current, 'provider tokens').decrypt(
        tokenId,
        receiver,
        token.encryptedToken,
      ),
      record: await createRecordEncryption(current).decrypt(tokenId, record.sealed),
      mail: await createRecordEncryption(current, 'mails').decrypt(tokenId, mail.sealed),
      searches: searches
        .map(({ encrypted_text, queries }) => [
          currentCipher.decrypt({ workspaceId: workspace.id, day }, encrypted_text ?? ''),
          queries,
        ])
        .toSorted(),
      hasCurrentHash: searches.some(
        row => row.parameters === currentCipher.hash(workspace.id, 'e/all/results'),
      ),
    }
  }
}
const contents = {
  app: 'app',
  step: 7,
  secret: 'secret',
  token: 'token',
  record: { params: { state: 's' } },
  mail: { to: 'mail' },
  searches: [
    ['e/all/results', 3],
    [longPath.slice(0, 1024), 3],
  ],
  hasCurrentHash: true,
}

for (const kind of ['SQLite', 'PostgreSQL'])
  describe(kind, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'querent-re-encrypt-'))
    after(() => rm(folder, { recursive: true }))
    /** A storage with its first operator, and its settings under a key. */
    const makeStorage = async (key: string) => {
      const data = join(folder, randomUUID())
      const location = kind === 'SQLite' ? {} : { QUERENT_STORAGE: await freshDatabase() }
      const configure = (currentKey: string) =>
        readConfig({ flags: { data }, env: { ...location, QUERENT_KEY: currentKey } }).config
      await initDataFolder(configure(key), { email: 'op@example.org' })
      return configure
    }
    /** Runs `use` as a server with this key would. */
    const open = async <T>(
      config: ReturnType<typeof readConfig>['config'],
      use: (storage: Storage, keyring: Keyring) => Promise<T>,
    ): Promise<T> => {
      const storage = await openStorage(config.storage)
      try {
        const secretKey = Buffer.from(config.key ?? '', 'base64')
        const keyring = await openKeyring({ storage, secretKey, accessTokenAlgorithm: 'ES256' })
        try {
          return await use(storage, keyring)
        } finally {
          keyring.close()
        }
      } finally {
        await storage.close()
      }
    }
    const count = (
      columns: Awaited<ReturnType<typeof reencryptStorage>>,
      name: 'reencrypted' | 'unchanged',
    ) => Object.fromEntries(columns.map(column => [column.column, column[name]]))
    const expectedCounts = {
      'signing_keys.encrypted_jwk': 2,
      'authenticator_apps.encrypted_secret': 1,
      'provider_secrets.encrypted_secret': 1,
      'provider_tokens.encrypted_token': 1,
      'oidc_records.payload_json.sealed': 1,
      'searches.encrypted_text': 2,
      'form_replies.sealed': 0,
      'mails.sealed': 1,
    }

    /** A storage with secrets under `oldKey`, of which the new key is `key`. */
    const prepare = async () => {
      const [oldKey, key] = [newKey(), newKey()]
      const configure = await makeStorage(oldKey)
      const { read, jwks } = await open(configure(oldKey), async (storage, keyring) => ({
        read: await writeSecrets(storage, keyring),
        jwks: keyring.publicJwks(),
      }))
      return { oldKey, key, configure, read, jwks }
    }

    test('the new key reads everything, tokens stay valid, and a second run changes nothing', async () => {
      const { oldKey, key, configure, read, jwks } = await prepare()
      const columns = await reencryptStorage(configure(key), oldKey)
      assert.deepEqual(count(columns, 'reencrypted'), expectedCounts)
      assert.equal(columns.find(({ column }) => column === 'form_replies.sealed')?.removed, 1)
      const secondRun = await reencryptStorage(configure(key), oldKey)
      assert.deepEqual(count(secondRun, 'unchanged'), expectedCounts)
      assert.ok(secondRun.every(({ reencrypted, unreadable }) => reencrypted + unreadable === 0))
      await open(configure(key), async (storage, keyring) => {
        assert.deepEqual(keyring.publicJwks(), jwks)
        assert.deepEqual(await read(storage, keyring), contents)
        assert.deepEqual(await createUnreadableCount(keyring)(storage.db), [])
      })
      await assert.rejects(
        open(configure(oldKey), async () => {}),
        /encrypted with another key/,
      )
    })

    test('a wrong, missing or equal old key is refused, and nothing changes', async () => {
      const { oldKey, key, configure, read } = await prepare()
      await assert.rejects(
        reencryptStorage(configure(key), newKey()),
        /neither it nor the new key decrypts 2 signing keys, .*nothing was changed/,
      )
      await assert.rejects(reencryptStorage(configure(key), undefined), { code: 'wrong-usage' })
      await assert.rejects(reencryptStorage(configure(key), key), { code: 'wrong-usage' })
      await assert.rejects(reencryptStorage(configure(key), 'short'), /QUERENT_OLD_KEY is not a valid key/)
      await open(configure(oldKey), async (storage, keyring) =>
        assert.deepEqual(await read(storage, keyring), contents),
      )
    })

    test('a second run changes nothing and is no error, also beside secrets of a third key', async () => {
      const { oldKey, key, configure, read } = await prepare()
      const storage = await openStorage(configure(key).storage)
      const user = await storage.write(w => createUser(w, { email: 'third@example.org' }))
      const thirdKey = Buffer.from(newKey(), 'base64')
      const apps = createRecordEncryption(
        { derive: purpose => deriveKey(thirdKey, purpose) },
        'authenticator apps',
      )
      const userId = user?.id ?? ''
      const encryptedSecret = await apps.encrypt(userId, { secret: 'third' })
      await storage.write(w => saveAuthenticatorApp(w, { userId, encryptedSecret, step: 1 }))
      await storage.close()
      await reencryptStorage(configure(key), oldKey)
      for (const earlierKey of [oldKey, newKey()]) {
        const columns = await reencryptStorage(configure(key), earlierKey)
        assert.deepEqual(count(columns, 'unchanged'), expectedCounts)
        assert.ok(columns.every(({ reencrypted }) => reencrypted === 0))
        assert.deepEqual(
          columns.filter(({ unreadable }) => unreadable > 0).map(({ label }) => label),
          ['authenticator apps'],
        )
      }
      // The signing keys have the first new key by now.
      await assert.rejects(
        reencryptStorage(configure(newKey()), oldKey),
        /neither it nor the new key decrypts/,
      )
      const columns = await reencryptStorage(configure(key), thirdKey.toString('base64'))
      assert.equal(count(columns, 'reencrypted')['authenticator_apps.encrypted_secret'], 1)
      await open(configure(key), async (opened, keyring) =>
        assert.deepEqual(await read(opened, keyring), contents),
      )
    })

    test('a storage that a server uses is refused, before its tables are migrated', async () => {
      const { oldKey, key, configure } = await prepare()
      const config = configure(key)
      const storage = await openStorage(config.storage)
      const last = '0048-search-counts'
      await sql`delete from kysely_migration where name = ${last}`.execute(storage.db)
      const unlock = kind === 'SQLite' ? lockDataFolder(config.data) : () => {}
      assert.equal(await storage.locks?.keep('engine', 'shared', () => {}), storage.locks && true)
      await assert.rejects(reencryptStorage(config, oldKey), /server uses .*: stop (it|all)/)
      unlock()
      await storage.close()
      const { db } = connect(config.storage)
      assert.ok(!(await listAppliedMigrations(db, undefined)).includes(last))
      await db.destroy()
      await reencryptStorage(config, oldKey)
      await open(config, async opened =>
        assert.ok((await listAppliedMigrations(opened.db, undefined)).includes(last)),
      )
    })

    test('the count of unreadable texts reads only the newest of the query log', async () => {
      const [earlierKey, key] = [newKey(), newKey()]
      const configure = await makeStorage(key)
      await open(configure(key), async (storage, keyring) => {
        const settings = { queryLog: { parameters: 'full' as const } }
        const workspace = await storage.write(w => createWorkspace(w, { workspace: 'library', settings }))
        const earlier = { derive: (purpose: string) => deriveKey(Buffer.from(earlierKey, 'base64'), purpose) }
        const addTexts = async (day: number, { derive }: Pick<Keyring, 'derive'>, texts: number) => {
          const cipher = createSearchCipher(derive('query log'))
          const place = { workspaceId: workspace?.id ?? '', day }
          const searches = Array.from({ length: texts }, (_, index) => ({
            workspace_id: place.workspaceId,
            day,
            api: 'library',
            parameters: cipher.hash(place.workspaceId, String(index)),
            encrypted_text: cipher.encrypt(place, String(index)),
            queries: 1,
            empty: 0,
          }))
          await storage.write(w => addSearches(w.db, storage.kind, searches))
        }
        const day = toDay(Date.now())
        const readTexts = async () =>
          (await createUnreadableCount(keyring)(storage.db)).map(({ text }) => text)
        await addTexts(day - 1, earlier, 900)
        assert.deepEqual(await readTexts(), ['900 texts of the query log'])
        await addTexts(day - 2, earlier, 900)
        await addTexts(day, keyring, 200)
        assert.deepEqual(await readTexts(), ['at least 800 texts of the query log'])
        await addTexts(day, keyring, 1000)
        assert.deepEqual(await readTexts(), [])
      })
    })

    test('a server that started with a new key gets the earlier secrets back, and keeps its own', async () => {
      const { oldKey, key, configure, read } = await prepare()
      const thirdKey = newKey()
      const storage = await openStorage(configure(oldKey).storage)
      await storage.db.deleteFrom('signing_keys').execute()
      await storage.close()
      const unreadable = await open(configure(key), async (opened, keyring) => {
        // The same search on the same day, and a secret of a third key.
        const { id } = await opened.db.selectFrom('workspaces').select('id').executeTakeFirstOrThrow()
        const cipher = createSearchCipher(keyring.derive('query log'))
        const search = {
          workspace_id: id,
          day: toDay(Date.now()),
          api: 'library',
          parameters: cipher.hash(id, 'e/all/results'),
          encrypted_text: cipher.encrypt({ workspaceId: id, day: toDay(Date.now()) }, 'e/all/results'),
          queries: 3,
          empty: 0,
        }
        await opened.write(w => addSearches(w.db, opened.kind, [search]))
        const user = await opened.write(w => createUser(w, { email: 'third@example.org' }))
        const apps = createRecordEncryption(
          { derive: purpose => deriveKey(Buffer.from(thirdKey, 'base64'), purpose) },
          'authenticator apps',
        )
        const encryptedSecret = await apps.encrypt(user?.id ?? '', { secret: 'third' })
        await opened.write(w => saveAuthenticatorApp(w, { userId: user?.id ?? '', encryptedSecret, step: 1 }))
        return createUnreadableCount(keyring)(opened.db)
      })
      assert.deepEqual(
        unreadable.map(({ text }) => text),
        [
          '2 authenticator apps',
          '1 client secret of an OpenID provider',
          '1 refresh token of an OpenID provider',
          '1 request under way',
          '1 reply to a form',
          '1 waiting mail',
          '2 texts of the query log',
        ],
      )
      const columns = await reencryptStorage(configure(key), oldKey)
      const apps = columns.find(({ column }) => column === 'authenticator_apps.encrypted_secret')
      assert.deepEqual([apps?.reencrypted, apps?.unreadable], [1, 1])
      await open(configure(key), async (opened, keyring) => {
        const { searches, ...others } = await read(opened, keyring)
        assert.deepEqual({ ...others, searches: contents.searches }, contents)
        assert.equal(searches.length, 3)
      })
      await reencryptStorage(configure(key), thirdKey)
      await open(configure(key), async (opened, keyring) =>
        assert.deepEqual(await createUnreadableCount(keyring)(opened.db), []),
      )
    })
  })
