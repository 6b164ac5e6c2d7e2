/**
 * Promises of the change feed and the directory on every database: no value is loaded twice, and no value
 * outlives its change notice.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { KyselyPlugin } from 'kysely'
import { waitUntil } from '#test-wait'
import { memberKey } from './change-feed.ts'
import { createClient, removeClient } from './clients.ts'
import type { StorageLocation } from './connection.ts'
import { type ChangeNotice, openStorage, type Storage } from './db.ts'
import { type Directory, openDirectory } from './directory.ts'
import { removeMember, setMember } from './members.ts'
import { revoke } from './revocations.ts'
import { createUser, setUserDisabled } from './users.ts'
import { createWorkspace, saveDefinition } from './workspaces.ts'

/** A storage that can be disconnected. */
export interface Cuttable {
  location: StorageLocation
  /** Makes every query fail until the returned function is called. */
  cut(): Promise<() => Promise<void>>
  close(): Promise<void>
}

const noLookups = { hits: 0, misses: 0 }
const unavailable = { code: 'unavailable', status: 503 }

/** Runs the suite in an empty database. */
export const directorySuite = (empty: () => Promise<Cuttable>): void => {
  let place: Cuttable
  let storage: Storage
  before(async () => {
    place = await empty()
    storage = await openStorage(place.location)
  })
  after(async () => {
    await storage.close()
    await place.close()
  })

  /** A directory whose queries are counted, and held back while `gate` is pending. */
  const observed = (bytesMax?: number) => {
    const probe = { queries: 0, gate: Promise.resolve() }
    const plugin: KyselyPlugin = {
      transformQuery({ node }) {
        probe.queries += 1
        return node
      },
      async transformResult({ result }) {
        await probe.gate
        return result
      },
    }
    const directory = openDirectory({ ...storage, db: storage.db.withPlugin(plugin) }, 30_000, bytesMax)
    return { directory, probe }
  }
  const member = (workspaceId: string, subject: string) => ({
    workspaceId,
    subject,
    kind: 'system-to-system' as const,
    roles: ['api' as const],
    filter: undefined,
  })
  const newWorkspace = async () => {
    const row = await storage.write(w => createWorkspace(w, { workspace: randomUUID() }))
    assert.ok(row)
    return row
  }

  test('a process that was busy or asleep does not call the storage away, and asks it before it refuses', async t => {
    const directory = openDirectory(storage, 30_000)
    const { id, slug } = await newWorkspace()
    assert.equal((await directory.workspace(slug))?.id, id)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
    assert.ok(storage.silentMs() > 30_000)
    assert.equal(storage.isAway(), false)
    assert.equal((await directory.workspace(slug))?.id, id)
    assert.ok(directory.isFresh())
    directory.close()
  })

  test('the storage is asked again when the process slept while it asked', async t => {
    const directory = openDirectory(storage, 30_000)
    const { id, slug } = await newWorkspace()
    const earlierQuestion = storage.catchUp()
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 60_000 })
    assert.equal((await directory.workspace(slug))?.id, id)
    await earlierQuestion
    directory.close()
  })

  test('this process hears of a change when the write resolves, of a failed one never', async () => {
    const notices: ChangeNotice[] = []
    const stop = storage.onChange(notice => notices.push(notice))
    await storage.write(async w => w.announce('user', 'u1'))
    assert.deepEqual(notices, [{ topic: 'user', key: 'u1' }])
    await assert.rejects(
      storage.write(async w => {
        w.announce('user', 'u2')
        throw new Error('no')
      }),
    )
    stop()
    await storage.write(async w => w.announce('user', 'u3'))
    assert.deepEqual([...new Set(notices.map(({ key }) => key))], ['u1'])
  })

  test('another node on the same database hears of every change, in order, more than it reads at once', async () => {
    const otherNode = await openStorage(place.location)
    const heardKeys: string[] = []
    otherNode.onChange(({ topic, key }) => {
      if (topic === 'grant') heardKeys.push(key)
    })
    const keys = Array.from({ length: 2500 }, (_, index) => `g${index}`)
    await storage.write(async w => {
      for (const key of keys) w.announce('grant', key)
    })
    await waitUntil(
      () => heardKeys.length >= keys.length,
      () => 'the other node heard everything',
    )
    assert.deepEqual(heardKeys, keys)
    await otherNode.close()
  })

  const kinds: {
    kind: string
    /** Creates the entity and returns how it is looked up and changed; `answer` shows the difference. */
    make(): Promise<{ answer: (directory: Directory) => Promise<unknown>; change: () => Promise<unknown> }>
  }[] = [
    {
      kind: 'workspace',
      async make() {
        const { id, slug } = await newWorkspace()
        return {
          answer: async directory => (await directory.workspace(slug))?.title,
          change: () => storage.write(w => saveDefinition(w, id, { workspace: slug, title: 'new' })),
        }
      },
    },
    {
      kind: 'workspace that was not there',
      async make() {
        const slug = randomUUID()
        return {
          answer: async directory => (await directory.workspace(slug))?.slug,
          change: () => storage.write(w => createWorkspace(w, { workspace: slug })),
        }
      },
    },
    {
      kind: 'member',
      async make() {
        const { id } = await newWorkspace()
        await storage.write(w => setMember(w, member(id, 'c')))
        return {
          answer: async directory => (await directory.member(id, 'c'))?.subject,
          change: () => storage.write(w => removeMember(w, id, 'c')),
        }
      },
    },
    {
      kind: 'member that was not there',
      async make() {
        const { id } = await newWorkspace()
        return {
          answer: async directory => (await directory.member(id, 'c'))?.subject,
          change: () => storage.write(w => setMember(w, member(id, 'c'))),
        }
      },
    },
    {
      kind: 'client',
      async make() {
        const { id: workspaceId } = await newWorkspace()
        const settings = { addresses: [] }
        const client = await storage.write(w =>
          createClient(w, { kind: 'system-to-system', workspaceId, name: 'a', settings }),
        )
        assert.ok(client)
        return {
          answer: async directory => (await directory.client(client.id))?.name,
          change: () => storage.write(w => removeClient(w, client.id)),
        }
      },
    },
    {
      kind: 'user',
      async make() {
        const user = await storage.write(w => createUser(w, { email: `${randomUUID()}@example.org` }))
        assert.ok(user)
        return {
          answer: async directory => (await directory.user(user.id))?.disabled,
          change: () => storage.write(w => setUserDisabled(w, user.id, true)),
        }
      },
    },
    ...(['token', 'grant'] as const).map(kind => ({
      kind,
      async make() {
        const id = randomUUID()
        return {
          answer: async (directory: Directory) =>
            kind === 'token' ? directory.tokenRevoked(id) : directory.grantRevoked(id),
          change: () => storage.write(w => revoke(w, kind, id, Date.now() + 60_000)),
        }
      },
    })),
  ]
  for (const { kind, make } of kinds)
    test(`a ${kind} is asked for once, and anew after a change, here at once and on another node soon`, async () => {
      const { answer, change } = await make()
      const { directory, probe } = observed()
      const otherNode = await openStorage(place.location)
      const elsewhere = openDirectory(otherNode, 30_000)
      const answerBefore = await answer(directory)
      assert.equal(await answer(elsewhere), answerBefore)
      assert.equal(await answer(directory), answerBefore)
      assert.equal(probe.queries, 1)
      await change()
      assert.notEqual(await answer(directory), answerBefore)
      assert.equal(probe.queries, 2)
      await waitUntil(
        async () => (await answer(elsewhere)) !== answerBefore,
        () => 'the other node forgot',
      )
      directory.close()
      elsewhere.close()
      await otherNode.close()
    })

  test('lookups of the same key at the same time are one query', async () => {
    const { directory, probe } = observed()
    await Promise.all([1, 2, 3].map(() => directory.user('nobody')))
    assert.equal(probe.queries, 1)
    directory.close()
  })

  test('the cache has a bound in bytes: it keeps few large entries, and evicts those that are unused for longest', async () => {
    const { id } = await newWorkspace()
    const largest = { field: Array.from({ length: 1000 }, (_, value) => `${value} ${'x'.repeat(200)}`) }
    const subjects = Array.from({ length: 100 }, (_, index) => `s${index}`)
    await storage.write(async w => {
      for (const subject of subjects) await setMember(w, { ...member(id, subject), filter: largest })
    })
    const { directory, probe } = observed()
    for (const subject of subjects) {
      await directory.member(id, subject)
      // SQLite answers at once: without a pause the change feed would never run.
      await turn()
    }
    assert.equal(probe.queries, 100)
    await directory.member(id, 's99')
    assert.equal(probe.queries, 100)
    await directory.member(id, 's0')
    assert.equal(probe.queries, 101)
    directory.close()
  })

  test('with less memory than all kinds together may take, each of them keeps less', async () => {
    const { directory, probe } = observed(576 * 1024)
    for (let index = 0; index < 200; index++) await directory.user(`nobody ${index}`)
    await directory.user('nobody 199')
    assert.equal(probe.queries, 200)
    await directory.user('nobody 0')
    assert.equal(probe.queries, 201)
    directory.close()
  })

  test('a flood of names that are not there pushes out nothing that is', async () => {
    const { slug } = await newWorkspace()
    const { directory, probe } = observed(576 * 1024)
    await directory.workspace(slug)
    for (let number = 0; number < 300; number++) await directory.workspace(`nothing-${number}`)
    assert.equal(probe.queries, 301)
    assert.equal((await directory.workspace(slug))?.slug, slug)
    assert.equal(probe.queries, 301, 'the one that is there is still in memory')
    await directory.workspace('nothing-0')
    assert.equal(probe.queries, 302, 'of the others few are')
    directory.close()
  })

  test('a name that cannot exist reaches neither storage nor memory', async () => {
    const { directory, probe } = observed()
    for (const slug of ['', 'A', 'a b', 'é', 'a'.repeat(64), 'x'.repeat(15_500), 'a\n', '__proto__', '\0'])
      assert.equal(await directory.workspace(slug), undefined, slug.slice(0, 70))
    assert.equal(await directory.client('c'.repeat(15_500)), undefined)
    assert.equal(probe.queries, 0)
    assert.deepEqual([directory.lookups().workspace, directory.lookups().client], [noLookups, noLookups])
    directory.close()
  })

  test('a value that is being read when its key changes is not cached', async () => {
    const { id } = await newWorkspace()
    const { directory, probe } = observed()
    const gate = Promise.withResolvers<void>()
    probe.gate = gate.promise
    const early = directory.member(id, 'c')
    await waitUntil(
      () => probe.queries === 1,
      () => 'the query is under way',
    )
    // On SQLite the read runs before the write; on PostgreSQL the early answer may be either.
    await storage.db.selectFrom('members').select('subject').limit(1).execute()
    await storage.write(w => setMember(w, member(id, 'c')))
    const late = directory.member(id, 'c')
    gate.resolve()
    await early
    assert.equal((await late)?.subject, 'c', 'asked after the change')
    assert.equal((await directory.member(id, 'c'))?.subject, 'c', 'the early answer was not kept')
    assert.equal(probe.queries, 2)
    directory.close()
  })

  test('a directory that is closed no longer listens, and the key of a membership names both', () => {
    assert.equal(memberKey('w', 's'), 'w s')
    let listening = 0
    const countedStorage = {
      ...storage,
      onChange: () => {
        listening += 1
        return () => {
          listening -= 1
        }
      },
    }
    const directory = openDirectory(countedStorage, 0)
    assert.equal(listening, 1)
    directory.close()
    assert.equal(listening, 0)
  })

  test('storage that is away: the known is served for the bounded time, then 503; after its return all is well', async t => {
    const user = await storage.write(w => createUser(w, { email: `${randomUUID()}@example.org` }))
    assert.ok(user)
    const strict = openDirectory(storage, 5000)
    const lenient = openDirectory(storage, 60_000)
    assert.equal((await strict.user(user.id))?.id, user.id)
    assert.equal((await lenient.user(user.id))?.id, user.id)
    const restore = await place.cut()
    assert.equal((await strict.user(user.id))?.id, user.id, 'known, and heard from a moment ago')
    const unknown = randomUUID()
    const rejections = [1, 2].map(() =>
      assert.rejects(async () => lenient.user(unknown), unavailable, 'not known'),
    )
    await Promise.all(rejections)
    const strictly = async () => strict.user(user.id)
    t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 5001 })
    await assert.rejects(strictly, unavailable)
    await assert.rejects(async () => strict.user(randomUUID()), unavailable)
    assert.equal((await lenient.user(user.id))?.id, user.id)
    t.mock.timers.reset()
    await restore()
    await waitUntil(
      () => strictly().then(Boolean, () => false),
      () => 'it serves again',
    )
    assert.equal(await lenient.user(randomUUID()), undefined)
    await storage.write(w => setUserDisabled(w, user.id, true))
    assert.equal((await strict.user(user.id))?.disabled, 1)
    strict.close()
    lenient.close()
  })
}
