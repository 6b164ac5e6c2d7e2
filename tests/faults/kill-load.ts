/** The load of `kills.ts`: writers, replacements, promotions, rebuilds and queries on a started server, until it is killed. */
import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { openPerson } from '#tests/support/person'
import { consoleToken } from '#tests/support/query-sign-in'
import { fetchToken, type StartedServer } from '#tests/support/started-server'
import { createLedger, type Version } from './ledger.ts'

const password = 'correct horse battery staple'

/** Each edition has other fields for the index, so that applying the next one builds new generations. */
const makeWorkspace = (edition: number): string => `
workspace: w
collections:
  main: { id: { field: id }, language: ${edition % 2 === 0 ? 'english' : 'dutch'}, fields: { title: { type: text }, version: { type: number } } }
  near: { id: { field: id }, fields: { title: { type: text }, version: { type: number }, v: { type: vector, dimensions: 4 } } }
  staged: { id: { field: id }, fields: { label: { type: keyword }, version: { type: number } } }
apis:
  a: { access: public, endpoints: { main: { kind: all, collection: main }, near: { kind: all, collection: near }, staged: { kind: all, collection: staged },
    words: { kind: match, collection: main, fields: [title] } } }
`

export const collections = ['main', 'near', 'staged'] as const
export type Collection = (typeof collections)[number]

const makeLine = (id: string, version: number): string =>
  JSON.stringify({
    id,
    title: `word${version % 20} common`,
    version,
    v: [version % 7, 1, id.length, 2],
    label: `l${version}`,
  })

export const openKillLoad = async (server: StartedServer) => {
  const ledgers = { main: createLedger(), near: createLedger() }
  const person = openPerson(server, 'ada@example.org', password)
  /** Tokens of the operator, of the account that writes and of the person who reads. */
  let operator = await consoleToken(server, person)
  const manage = (path: string, body: object) =>
    fetch(`${server.authUrl}/manage/v1${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await server.run(['apply', '-'], { input: makeWorkspace(0) })
  await server.run(['members', 'add', 'w', 'ada@example.org', '--role', 'administrator'])
  const account = (await server.run(['s2s', 'create', 'w', 'loader', '--role', 'data-provider'])) as {
    clientId: string
    clientSecret: string
  }
  let loader = ''
  let reader = ''
  let renewedMs = 0
  const renewTokens = async (): Promise<void> => {
    operator = await consoleToken(server, openPerson(server, 'ada@example.org', password))
    loader = await fetchToken(server, account)
    reader = await consoleToken(server, openPerson(server, 'ada@example.org', password), `${server.baseUrl}/`)
    renewedMs = performance.now()
  }
  await renewTokens()
  const documents = (collection: Collection) => `${server.baseUrl}/4/w/collections/${collection}/documents`
  const send = (method: string, url: string, body?: string, type = 'application/x-ndjson') =>
    fetch(url, {
      method,
      headers: { authorization: `Bearer ${loader}`, ...(body === undefined ? {} : { 'content-type': type }) },
      ...(body === undefined ? {} : { body }),
    })
  let isRunning = false
  let lastVersion = 0
  let edition = 0
  let acknowledged = 0
  /** Labels of complete sets of the collection `staged`: the one that is live, and those that may be by now. */
  const staged = {
    live: undefined as string | undefined,
    possible: new Set<string>(),
    sizes: new Map<string, number>(),
  }

  const importInto = (collection: 'main' | 'near', writer: string) => async () => {
    const ids = new Set(Array.from({ length: randomInt(1, 120) }, () => `${writer}-${randomInt(300)}`))
    const writes = [...ids].map(id => ({ id, version: ++lastVersion }))
    for (const { id, version } of writes) ledgers[collection].begin(id, version)
    const lines = writes.map(({ id, version }) => makeLine(id, version)).join('\n')
    const reply = await send(
      'POST',
      `${documents(collection)}${randomInt(4) === 0 ? '?wait=false' : ''}`,
      lines,
    )
    await reply.text()
    if (reply.status !== 200) return
    for (const { id, version } of writes) ledgers[collection].acknowledge(id, version)
    acknowledged += writes.length
  }
  const changeOne = (collection: 'main' | 'near', writer: string) => async () => {
    const id = `${writer}-${randomInt(40)}`
    const version: Version = randomInt(4) === 0 ? undefined : ++lastVersion
    ledgers[collection].begin(id, version)
    const url = `${documents(collection)}/${id}`
    const reply =
      version === undefined
        ? await send('DELETE', url)
        : await send('PUT', url, makeLine(id, version), 'application/json')
    await reply.text()
    if (reply.status >= 300 && !(version === undefined && reply.status === 404)) return
    ledgers[collection].acknowledge(id, version)
    acknowledged++
  }
  const replaceStaged = async () => {
    const version = ++lastVersion
    const label = `l${version}`
    const size = randomInt(5, 200)
    staged.sizes.set(label, size)
    staged.possible.add(label)
    const lines = Array.from({ length: size }, (_, number) => makeLine(`s${number}`, version)).join('\n')
    const stage = randomInt(2) === 0
    const reply = await send(
      'POST',
      `${documents('staged')}?replace=true${stage ? '&stage=true' : ''}`,
      lines,
    )
    await reply.text()
    if (reply.status !== 200) return
    if (stage && (await manage('/workspaces/w/collections/staged/generations/promote', {})).status !== 200)
      return
    staged.live = label
    staged.possible.clear()
    acknowledged += size
  }
  const applyNext = async () => {
    await wait(randomInt(400))
    edition++
    await (await manage('/apply', { source: makeWorkspace(edition) })).text()
  }
  const query = async () => {
    await (await fetch(`${server.baseUrl}/4/w/api/a/e/words/p/query/word${randomInt(20)}/results`)).text()
  }
  const tasks = [
    importInto('main', 'a'),
    importInto('main', 'b'),
    importInto('near', 'c'),
    changeOne('main', 'p'),
    changeOne('main', 'q'),
    changeOne('near', 'r'),
    replaceStaged,
    applyNext,
    query,
  ]
  let loops: Promise<void>[] = []
  return {
    acknowledgedCount: () => acknowledged,
    /** Gets new tokens when the present ones are 5 minutes old, because they expire after 15. Call it while the server runs. */
    async renewTokens(): Promise<void> {
      if (performance.now() - renewedMs > 5 * 60_000) await renewTokens()
    },
    start(): void {
      isRunning = true
      loops = tasks.map(async task => {
        // A request that the kill interrupts fails; its outcome is unknown.
        while (isRunning) await task().catch(() => wait(10))
      })
    },
    /** Call it when the server is dead. */
    async stop(): Promise<void> {
      isRunning = false
      await Promise.all(loops)
    },
    /** Reads the versions of all documents. Throws while the server answers 503. */
    async read(collection: Collection): Promise<Map<string, number>> {
      const reply = await fetch(`${documents(collection)}?format=ndjson`, {
        headers: { authorization: `Bearer ${reader}` },
      })
      const text = await reply.text()
      if (reply.status !== 200) throw new Error(`${collection}: ${reply.status} ${text.slice(0, 300)}`)
      const lines = text.split('\n').filter(line => line !== '')
      return new Map(lines.map(line => [JSON.parse(line).id, JSON.parse(line).version]))
    },
    /** The number of documents that a search finds. */
    async count(collection: Collection): Promise<number> {
      const reply = await fetch(`${server.baseUrl}/4/w/api/a/e/${collection}/count`)
      const text = await reply.text()
      if (reply.status !== 200) throw new Error(`${collection}: ${reply.status} ${text.slice(0, 300)}`)
      return JSON.parse(text).total
    },
    /** Compares stored documents with what was acknowledged. */
    settle(
      collection: Collection,
      stored: ReadonlyMap<string, number>,
    ): { lost: string[]; resurrected: string[] } {
      if (collection !== 'staged') return ledgers[collection].settle(stored)
      const labels = new Set([...stored.values()].map(version => `l${version}`))
      const [label] = labels
      const isKnown = label === staged.live || (label !== undefined && staged.possible.has(label))
      const isWhole = labels.size <= 1 && (label === undefined || staged.sizes.get(label) === stored.size)
      staged.live = label
      staged.possible.clear()
      return {
        lost: isWhole ? [] : [`staged: ${stored.size} documents of ${[...labels]}`],
        resurrected: isKnown ? [] : [`staged: ${label} is live`],
      }
    },
  }
}
