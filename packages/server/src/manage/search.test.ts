/**
 * Lists of people: pages without gaps, a search that equals a filter over everything, and a bounded number of
 * statements.
 */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, describe, test } from 'node:test'
import type { Member, User } from '@querent/contract/manage'
import fc from 'fast-check'
import { createClient } from '#storage/clients'
import type { StorageLocation } from '#storage/connection'
import { setMember } from '#storage/members'
import { freshDatabase } from '#storage/test-postgres'
import { createUser } from '#storage/users'
import { chooseRuns } from '#test-runs'
import { openTestServer } from './test-server.ts'

const words = ['ada', 'adam', 'émile', 'ольга', 'zoë', '100%', 'a_b', 'a\\b', 'de-groot', 'š']
const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const styles = [
  (word: string) => word,
  (word: string) => word.toUpperCase(),
  (word: string) => word.split('-').map(capitalised).join('-'),
]
const people = words.flatMap((word, number) =>
  styles.map((style, index) => ({
    email: `${number % 2 === 0 ? word : 'person'}.${number}${index}@example.org`,
    name: index === 1 && number % 3 === 0 ? '' : `${style(word)} ${style(words.at(number - index) ?? '')}`,
  })),
)
/** More than one scan. */
const manyMembers = 10_001
const manyGuests = 21_000

const begins = (text: string | undefined, search: string) =>
  text?.toLowerCase().startsWith(search.trim().toLowerCase()) ?? false
const isFound = (item: Pick<Member, 'email' | 'name' | 'clientId'>, search: string) =>
  item.clientId === search || begins(item.email, search) || begins(item.name, search)
const readKey = (item: Pick<Member, 'email' | 'clientId'>) => item.email ?? item.clientId ?? ''

const promises = (place: () => Promise<StorageLocation | undefined>) => {
  let server: Awaited<ReturnType<typeof openTestServer>>
  /** Statements of one request. The server's other work, such as polls of the change feed, runs outside of any. */
  const request = new AsyncLocalStorage<{ statements: number }>()
  let statementsOfLastRequest = 0
  const startCount = () => request.enterWith({ statements: 0 })
  before(async () => {
    const location = await place()
    server = await openTestServer({
      ...(location ? { location } : {}),
      onStatement: () => {
        const count = request.getStore()
        if (count) statementsOfLastRequest = ++count.statements
      },
    })
    await fill()
    subscribe('http.server.request.start', startCount)
  })
  after(() => {
    unsubscribe('http.server.request.start', startCount)
    return server?.close()
  })

  /** `books` has some people and accounts, `films` very many; very many others are in neither. */
  const fill = async () => {
    await server.storage.write(async writer => {
      for (const [index, { email, name }] of people.entries()) {
        const user = await createUser(writer, { email, name })
        assert.ok(user)
        const member = {
          subject: user.id,
          kind: 'user' as const,
          roles: ['api' as const],
          filter: undefined,
        }
        if (index % 3 !== 0) await setMember(writer, { ...member, workspaceId: server.books.id })
        if (index % 2 !== 0) await setMember(writer, { ...member, workspaceId: server.films.id })
      }
      for (const workspaceId of [server.books.id, server.films.id])
        for (const word of words) {
          const name = `${capitalised(word)} bot`
          const kind = 'system-to-system'
          const client = await createClient(writer, { kind, workspaceId, name, settings: { addresses: [] } })
          assert.ok(client)
          await setMember(writer, {
            workspaceId,
            subject: client.id,
            kind,
            roles: ['api'],
            filter: undefined,
          })
        }
    })
    const numbers = Array.from({ length: manyMembers + manyGuests }, (_, number) => number)
    for (let start = 0; start < numbers.length; start += 1000) {
      const rows = numbers.slice(start, start + 1000).map(number => ({ id: randomUUID(), number }))
      const common = { operator: 0, disabled: 0, created_at: 1, email_verified: 0, language: null }
      await server.storage.db
        .insertInto('users')
        .values(
          rows.map(({ id, number }) => {
            const kind = number < manyMembers ? 'member' : 'guest'
            return { ...common, id, email: `${kind}-${number}@example.org`, name: kind, password_hash: null }
          }),
        )
        .execute()
      const members = rows.filter(({ number }) => number < manyMembers)
      if (members.length > 0)
        await server.storage.db
          .insertInto('members')
          .values(
            members.map(({ id }) => ({
              workspace_id: server.films.id,
              subject: id,
              kind: 'user' as const,
              roles_json: '["api"]',
              filter_json: null,
              created_at: 1,
            })),
          )
          .execute()
    }
  }

  const listAll = async <Item extends Member | User>(path: string, count: number, search?: string) => {
    const items: Item[] = []
    for (let next: string | null = '', pages = 0; next !== null; pages++) {
      assert.ok(pages < 1000, 'the pages end')
      const query: URLSearchParams = new URLSearchParams({ count: String(count) })
      if (search !== undefined) query.set('search', search)
      if (next !== '') query.set('after', next)
      const { status, body } = await server.call('operator', 'GET', `/manage/v1/${path}?${query}`)
      assert.equal(status, 200, JSON.stringify(body))
      assert.ok(body.items.length <= count)
      items.push(...body.items)
      next = body.next
    }
    return items
  }
  const asFiltered = async (path: string, search: string, count: number, expected: (Member | User)[]) => {
    const foundItems = await listAll(path, count, search)
    assert.deepEqual(
      foundItems.map(item => readKey(item)).toSorted(),
      expected
        .filter(item => isFound(item, search))
        .map(item => readKey(item))
        .toSorted(),
      `${path} ${search}`,
    )
  }

  test('a search finds what a filter over all would, on pages of whatever size that neither overlap nor leave out', async () => {
    const paths = ['workspaces/books/members', 'workspaces/books/system-to-system', 'users']
    const itemsByPath = new Map<string, (Member | User)[]>()
    for (const path of paths) itemsByPath.set(path, await listAll(path, 1000))
    const clients = itemsByPath.get('workspaces/books/system-to-system')?.map(item => readKey(item)) ?? []
    const texts = [
      ...people.flatMap(({ email, name }) => [email, name]),
      ...words,
      'Émile BOT',
      'nobody',
      '%',
      '_',
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...paths),
        fc.oneof(
          fc
            .tuple(fc.constantFrom(...texts.filter(text => text !== '')), fc.integer({ min: 1, max: 12 }))
            .map(([text, letters]) => text.slice(0, letters).trim()),
          fc.constantFrom(...clients),
        ),
        fc.integer({ min: 1, max: 8 }),
        async (path, search, count) => asFiltered(path, search, count, itemsByPath.get(path) ?? []),
      ),
      { numRuns: chooseRuns(50, 300) },
    )
  })

  test('a search finds the same among ten thousand members, and where most people of the name are no members', async () => {
    const path = 'workspaces/films/members'
    const allItems = await listAll<Member>(path, 1000)
    assert.equal(allItems.length, new Set(allItems.map(readKey)).size)
    for (const search of ['guest', 'member', 'member-1', 'ADA', 'Ольга', ' zoë ', 'e'])
      await asFiltered(path, search, 1000, allItems)
    assert.equal((await listAll(path, 500, ' ')).length, allItems.length, 'everybody begins with nothing')
    const first = await server.call('operator', 'GET', `/manage/v1/${path}?search=guest`)
    assert.deepEqual(first.body.items, [], 'not all that begin so are looked at for one page')
    assert.notEqual(first.body.next, null)
  })

  test('`next` names members alone, and nothing that somebody makes of it leads to others', async () => {
    const path = 'workspaces/films/members'
    const members = server.storage.db.selectFrom('members').where('workspace_id', '=', server.films.id)
    const subjects = new Set((await members.select('subject').execute()).map(({ subject }) => subject))
    const strangers = (await listAll<User>('users', 1000)).filter(({ id }) => !subjects.has(id))
    assert.ok(strangers.length > manyGuests)
    const fetchPage = async (query: Record<string, string>) =>
      server.call('operator', 'GET', `/manage/v1/${path}?${new URLSearchParams(query)}`)
    for (const search of ['guest', 'member', 'member-1', 'ada', 'a', 'Ольга'])
      for (let next: string | null = '', pages = 0; next !== null; pages++) {
        assert.ok(pages < 1000, 'the pages end')
        const { body } = await fetchPage({ search, count: '1000', ...(next && { after: next }) })
        next = body.next
        const [, id, key] = /^\d+(?::([^:]+)(?::(.+))?)?$/.exec(next ?? '0') ?? assert.fail(next ?? '')
        assert.ok(id === undefined || subjects.has(id), `${search}: ${next}`)
        const last = body.items.at(-1)
        assert.ok(key === undefined || [last.email, last.name?.toLowerCase()].includes(key), next ?? '')
      }
    const [stranger] = strangers.filter(({ email }) => email.startsWith('guest'))
    assert.ok(stranger)
    const { id, email } = stranger
    for (const cursor of [`0:${id}:${email}`, `0:${id}:guest`, `0:${id}:a`, `1:${id}:guest`])
      assert.equal((await fetchPage({ search: 'guest', after: cursor })).status, 400, cursor)
    // With few matches: cursors before, after and between them.
    for (const key of ['a', 'b', '0'])
      assert.equal((await fetchPage({ search: 'ada', after: `0:${id}:${key}` })).status, 400, key)
    const innerPage = await fetchPage({ search: 'ada', after: `0:${id}:ada` })
    assert.deepEqual(innerPage.body, (await fetchPage({ search: 'ada' })).body)
    // A bare id is a cursor among the members.
    const rest = await fetchPage({ search: 'guest', after: `0:${id}` })
    assert.deepEqual([rest.status, rest.body.items], [200, []])
    assert.ok(rest.body.next === null || subjects.has(rest.body.next.split(':')[1]), rest.body.next)
  })

  test('a page asks the storage a few times, for one as for a thousand, among few and among many', async () => {
    const countStatements = async (path: string) => {
      assert.equal((await server.call('operator', 'GET', `/manage/v1/${path}`)).status, 200)
      return statementsOfLastRequest
    }
    // The others are authorization and activity.
    const [listedMost, searchedMost] = [8, 16]
    for (const count of [1, 1000]) {
      for (const list of ['books/members', 'films/members', 'books/system-to-system', 'books/invitations']) {
        const times = await countStatements(`workspaces/${list}?count=${count}`)
        assert.ok(times > 0 && times <= listedMost, `${list}: ${times}`)
      }
      for (const list of ['books/members', 'films/members']) {
        const times = await countStatements(`workspaces/${list}?count=${count}&search=a`)
        assert.ok(times > 0 && times <= searchedMost, `${list}, searched: ${times}`)
      }
    }
  })

  test('a search that is too long, twice, or goes on from another list, is told in words', async () => {
    for (const path of ['workspaces/books/members', 'workspaces/books/system-to-system', 'users'])
      for (const [query, place] of [
        [`search=${'a'.repeat(255)}`, 'search'],
        ['search=a&search=b', 'search'],
        ['search=%00', 'search'],
        ['after=%00', 'after'],
        [`search=a&after=${randomUUID()}`, 'after'],
        ['search=a&after=9', 'after'],
        ['search=a&after=0:a', 'after'],
      ]) {
        const { status, body } = await server.call('operator', 'GET', `/manage/v1/${path}?${query}`)
        assert.deepEqual([status, body.code], [400, 'bad-parameter'], query)
        assert.equal(body.errors[0].path, `query.${place}`)
      }
  })
}

describe('lists of people on SQLite', () => promises(async () => undefined))
describe('lists of people on PostgreSQL', () => promises(async () => ({ connection: await freshDatabase() })))
