/** Imports over HTTP: their speed, and their cost for queries. */
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { type Figure, makeFigure } from '#bench/figure'
import type { Load, LoadResult } from '#bench/http/load'
import { loadCore, serverCore, startPinned } from '#bench/http/pinned'
import { type Account, fetchToken, type Served, serve } from '#bench/http/querent'
import { interleave, rounds, type Say, shareOfFloor } from '#bench/http/rounds'
import { collection, workspace } from './dictionary.ts'
import { queryPath } from './dictionary-server.ts'
import type { SendResult, SendTask } from './send-process.ts'

/** Copies of the dictionary, so that a round takes some seconds. */
const documentsARound = 50_000
const atOnce = 16
const seconds = 3

const script = (name: string) => join(import.meta.dirname, name)

const writeHead = async (path: string, lines: number, target: string): Promise<void> => {
  await using source = await open(path)
  await using copy = await open(target, 'w')
  let text = ''
  let count = 0
  for await (const line of source.readLines()) {
    if (count++ >= lines) break
    text += `${line}\n`
  }
  await copy.writeFile(text)
}

/** A client that imports a file repeatedly, each time as the whole collection. */
const startSender = (served: Served, token: string, path: string) => {
  const sender = startPinned(loadCore, process.execPath, [script('send-process.ts')])
  const url = `${served.baseUrl}/4/${workspace}/collections/${collection}/documents?replace=true`
  const send = (): Promise<SendResult> => {
    const result = sender.message<SendResult>()
    sender.child.send({ url, token, path } satisfies SendTask)
    return result
  }
  return { send, [Symbol.asyncDispose]: sender.stop }
}

interface ImportOptions {
  data: string
  account: Account
  documents: string
  queries: readonly string[]
  folder: string
  say: Say
}

/** Compares with the engine's own import of the same documents, all on one core, until they are searchable in a new generation. */
export const importFigures = async ({
  data,
  account,
  documents,
  folder,
  say,
}: ImportOptions): Promise<Figure[]> => {
  const path = join(folder, 'some.ndjson')
  await writeHead(documents, documentsARound, path)
  await using served = await serve(data)
  await using sender = startSender(served, await fetchToken(served, account), path)
  await using engine = startPinned(serverCore, process.execPath, [
    script('add-process.ts'),
    join(folder, 'add'),
    path,
  ])
  await engine.message()
  const add = (): Promise<SendResult> => {
    const added = engine.message<SendResult>()
    engine.child.send({})
    return added
  }
  const perSecond = ({ accepted, seconds: took }: SendResult) => accepted / took
  say('import through HTTP, beside the engine’s own')
  const rates = await interleave(
    { ours: async () => perSecond(await sender.send()), engine: async () => perSecond(await add()) },
    say,
  )
  const details = { unit: 'documents/s', better: 'higher' } as const
  return [
    makeFigure(rates.ours, { name: 'import through HTTP', ...details }),
    makeFigure(rates.engine, { name: 'the engine’s own import', ...details }),
    shareOfFloor('import through HTTP, of the engine’s own', rates.ours, rates.engine, 80),
  ]
}

/** Queries while another client imports, with both cores for the server. The load uses part of the second core. */
export const meanwhileFigures = async (
  { data, account, documents, queries, say }: ImportOptions,
  load: Load,
): Promise<Figure[]> => {
  await using served = await serve(data, { cores: [serverCore, loadCore] })
  const token = await fetchToken(served, account)
  await using sender = startSender(served, token, documents)
  const headers = { authorization: `Bearer ${token}` }
  const requests = queries.map(words => ({ path: queryPath(words, 'results'), headers }))
  const run = () => load.run({ url: served.baseUrl, requests, atOnce, seconds })
  say('queries while documents are imported')
  const lossPercent: number[] = []
  const imported: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const alone = await run()
    let isOver = false
    const importing = sendUntil(sender, () => isOver)
    const meanwhile = await run()
    isOver = true
    const perSecond = await importing
    if (round > 0) {
      lossPercent.push(100 * (1 - meanwhile.perSecond / alone.perSecond))
      imported.push(perSecond)
    }
    say(
      `alone ${formatStarvation(alone)} · meanwhile ${formatStarvation(meanwhile)}, ${Math.round(perSecond)} documents a second`,
    )
  }
  return [
    makeFigure(lossPercent, {
      name: 'queries lost while importing, 2 cores',
      unit: '%',
      better: 'lower',
      goal: 30,
    }),
    makeFigure(imported, { name: 'imported meanwhile', unit: 'documents/s', better: 'higher' }),
  ]
}

/** Includes how long the load waited for its core, because the server did not lose those queries. */
const formatStarvation = ({ perSecond, starved }: LoadResult): string =>
  `${Math.round(perSecond)} (the load waited ${Math.round(100 * starved)} % of the time)`

/** Runs imports one after another, so that one is always active. Returns documents per second. */
const sendUntil = async (
  sender: Pick<ReturnType<typeof startSender>, 'send'>,
  isOver: () => boolean,
): Promise<number> => {
  let documents = 0
  let totalMs = 0
  while (!isOver()) {
    const result = await sender.send()
    documents += result.accepted
    totalMs += result.seconds
  }
  return documents / totalMs
}
