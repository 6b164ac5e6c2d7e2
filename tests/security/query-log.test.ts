/**
 * The query log keeps search texts only as the workspace allows (docs/usage.md). The tests send recognizable texts, then look for them in
 * the raw storage. The attack is reading the database, its files or a backup.
 */
import assert from 'node:assert/strict'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { sql } from 'kysely'
import { connect } from '#server/storage/connection'
import { type Library, makeLibrary, workspaceFile } from '#tests/support/library'
import { startNodes } from '#tests/support/nodes'
import type { Operator } from '#tests/support/operator'
import { ignoreMissingFile, startServerProcess } from '#tests/support/started-server'

interface Service extends Operator {
  baseUrl: string
  authUrl: string
  /** Everything that its processes wrote. */
  log(): string
  /** Everything that is stored, as text. */
  readStorage(): Promise<string>
  stop(): Promise<unknown>
}

const readFiles = async (folder: string): Promise<string> => {
  const files = await readdir(folder, { recursive: true, withFileTypes: true })
  const texts = files
    .filter(file => file.isFile())
    .map(file => ignoreMissingFile(readFile(join(file.parentPath, file.name), 'latin1'), ''))
  return (await Promise.all(texts)).join('\n')
}

const startOnSqlite = async (): Promise<Service> => {
  const server = await startServerProcess()
  return { ...server, readStorage: () => readFiles(server.data) }
}

const startOnPostgres = async (): Promise<Service> => {
  const nodes = await startNodes({ nodes: [{}] })
  const readStorage = async () => {
    const { db } = connect({ connection: nodes.storage })
    const tables = await db.introspection.getTables()
    const texts = await Promise.all(
      tables.map(async ({ name }) => {
        const { rows } = await sql<{
          text: string
        }>`select to_jsonb(t)::text as text from ${sql.table(name)} t`.execute(db)
        return rows.map(({ text }) => text).join('\n')
      }),
    )
    await db.destroy()
    const [node] = nodes.nodes
    return [...texts, node ? await readFiles(node.data) : ''].join('\n')
  }
  return { ...nodes, log: () => nodes.nodes.map(node => node.log()).join('\n'), readStorage }
}

for (const [storage, start] of [
  ['SQLite', startOnSqlite],
  ['PostgreSQL', startOnPostgres],
] as const)
  describe(storage, () => {
    let service: Service
    let library: Library
    before(async () => {
      service = await start()
      library = await makeLibrary(service)
    })
    after(() => service.stop())

    const setQueryLog = async (parameters: 'off' | 'hashed' | 'full') => {
      const settings = `settings: { queryLog: { parameters: ${parameters} } }\n`
      await service.applyWorkspace(workspaceFile(library.workspace) + settings)
    }
    /** Sends searches for a word in a text, a filter, and a request that fails; twice as a refused request. */
    const search = async (word: string) => {
      const paths = [
        `library/e/search/p/query/${word}/results`,
        `library/e/search/p/query/golden/e/genre:FILTER/p/value/${word}/count`,
        `library/e/search/p/query/${word}/e/none/results?config=${word}`,
      ]
      for (const path of paths) await (await library.get(path)).arrayBuffer()
      const [first = ''] = paths
      await fetch(`${service.baseUrl}/4/${library.workspace}/api/${first}`)
      await fetch(`${service.baseUrl}/4/${library.workspace}/api/${first}`, {
        headers: { authorization: 'Bearer x' },
      })
    }
    /** Reading the list writes what waits in memory first. */
    const listTexts = async () => {
      const { items } = await service.call('listSearches', {
        params: { workspace: library.workspace },
      })
      return items.map(({ parameters }) => parameters)
    }
    const assertUnseen = async (words: readonly string[]) => {
      const stored = await service.readStorage()
      for (const word of words) {
        assert.ok(!stored.includes(word), `${word} is stored`)
        assert.ok(!service.log().includes(word), `${word} is in the log`)
      }
    }

    test('off: nothing of a search is stored', async () => {
      await search('zebraoff')
      assert.deepEqual(await listTexts(), [])
      await assertUnseen(['zebraoff'])
    })

    test('hashed: only hashes are stored', async () => {
      await setQueryLog('hashed')
      await search('zebrahashed')
      const texts = await listTexts()
      assert.equal(texts.length, 2)
      assert.ok(texts.every(text => /^hmac-sha256:[\w-]{43}$/.test(text)))
      await assertUnseen(['zebraoff', 'zebrahashed'])
    })

    test('full: the list has the texts, and the storage has them encrypted only', async () => {
      await setQueryLog('full')
      await search('zebrafull')
      assert.ok((await listTexts()).includes('e/search/p/query/zebrafull'))
      await assertUnseen(['zebrafull', 'zebrahashed'])
    })

    test('from full to hashed: texts end at once, those that wait in memory too', async () => {
      await search('zebrawaiting')
      await setQueryLog('hashed')
      const texts = await listTexts()
      assert.ok(texts.length > 2)
      assert.ok(texts.every(text => text.startsWith('hmac-sha256:')))
      await assertUnseen(['zebrafull', 'zebrawaiting'])
    })

    test('to off: no search is left, neither text nor hash', async () => {
      const [hash = ''] = await listTexts()
      await search('zebralast')
      await setQueryLog('off')
      assert.deepEqual(await listTexts(), [])
      await assertUnseen(['zebrafull', 'zebrawaiting', 'zebralast', hash])
    })
  })
