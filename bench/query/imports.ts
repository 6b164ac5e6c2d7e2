/** Documents that come in through HTTP: how fast, and what that costs those who query. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Figure, figureOf } from '#bench/figure'
import type { Load, LoadResult } from '#bench/http/load'
import { loadCore, serverCore, startPinned } from '#bench/http/pinned'
import { type Account, fetchToken, type Served, serve } from '#bench/http/querent'
import { interleave, rounds, type Say, shareOfFloor } from '#bench/http/rounds'
import { collection, workspace } from './dictionary.ts'
import { pathOf } from './dictionary-server.ts'
import type { SendTask, Sent } from './send-process.ts'

/** Of the dictionary: a round is to last some seconds. */
const documentsARound = 50_000
const atOnce = 16
const seconds = 3

const script = (name: string) => join(import.meta.dirname, name)

const headOf = async (path: string, lines: number, target: string): Promise<void> => {
  await using from = await open(path)
  await using to = await open(target, 'w')
  let text = ''
  let count = 0
  for await (const line of from.readLines()) {
    if (count++ >= lines) break
    text += `${line}\n`
  }
  await to.writeFile(text)
}

/** A client that imports a file again and again, each time as the whole collection. */
const startSender = (served: Served, token: string, path: string) => {
  const sender = startPinned(loadCore, process.execPath, [script('send-process.ts')])
  const url = `${served.baseUrl}/4/${workspace}/collections/${collection}/documents?replace=true`
  const send = (): Promise<Sent> => {
    const sent = sender.message<Sent>()
    sender.child.send({ url, token, path } satisfies SendTask)
    return sent
  }
  return { send, [Symbol.asyncDispose]: sender.stop }
}

interface Asked {
  data: string
  account: Account
  documents: string
  queries: readonly string[]
  folder: string
  say: Say
}

/** Beside the engine's own import of the same documents, all on one core: searchable when it is over, in a new generation. */
export const importFigures = async ({ data, account, documents, folder, say }: Asked): Promise<Figure[]> => {
  const path = join(folder, 'some.ndjson')
  await headOf(documents, documentsARound, path)
  await using served = await serve(data)
  await using sender = startSender(served, await fetchToken(served, account), path)
  await using engine = startPinned(serverCore, process.execPath, [
    script('add-process.ts'),
    join(folder, 'add'),
    path,
  ])
  await engine.message()
  const add = (): Promise<Sent> => {
    const added = engine.message<Sent>()
    engine.child.send({})
    return added
  }
  const perSecond = ({ accepted, seconds: took }: Sent) => accepted / took
  say('import through HTTP, beside the engine’s own')
  const found = await interleave(
    { ours: async () => perSecond(await sender.send()), engine: async () => perSecond(await add()) },
    say,
  )
  const about = { unit: 'documents/s', better: 'higher' } as const
  return [
    figureOf(found.ours, { name: 'import through HTTP', ...about }),
    figureOf(found.engine, { name: 'the engine’s own import', ...about }),
    shareOfFloor('import through HTTP, of the engine’s own', found.ours, found.engine, 80),
  ]
}

/** Queries while another client imports, with both cores for the server; the load takes its part of the second. */
export const meanwhileFigures = async (
  { data, account, documents, queries, say }: Asked,
  load: Load,
): Promise<Figure[]> => {
  await using served = await serve(data, { cores: [serverCore, loadCore] })
  const token = await fetchToken(served, account)
  await using sender = startSender(served, token, documents)
  const headers = { authorization: `Bearer ${token}` }
  const requests = queries.map(words => ({ path: pathOf(words, 'results'), headers }))
  const run = () => load.run({ url: served.baseUrl, requests, atOnce, seconds })
  say('queries while documents are imported')
  const lost: number[] = []
  const imported: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const alone = await run()
    let isOver = false
    const importing = sendUntil(sender, () => isOver)
    const meanwhile = await run()
    isOver = true
    const perSecond = await importing
    if (round > 0) {
      lost.push(100 * (1 - meanwhile.perSecond / alone.perSecond))
      imported.push(perSecond)
    }
    say(
      `alone ${written(alone)} · meanwhile ${written(meanwhile)}, ${Math.round(perSecond)} documents a second`,
    )
  }
  return [
    figureOf(lost, { name: 'queries lost while importing, 2 cores', unit: '%', better: 'lower', goal: 30 }),
    figureOf(imported, { name: 'imported meanwhile', unit: 'documents/s', better: 'higher' }),
  ]
}

/** With how long the load had to wait for its core: what it could not ask is no query that the server lost. */
const written = ({ perSecond, starved }: LoadResult): string =>
  `${Math.round(perSecond)} (the load waited ${Math.round(100 * starved)} % of the time)`

/** One import after another, so that there is one at any time until then; documents a second. */
const sendUntil = async (
  sender: Pick<ReturnType<typeof startSender>, 'send'>,
  isOver: () => boolean,
): Promise<number> => {
  let documents = 0
  let took = 0
  while (!isOver()) {
    const sent = await sender.send()
    documents += sent.accepted
    took += sent.seconds
  }
  return documents / took
}
