/** A node of OpenSearch that hangs (SIGSTOP) keeps its connections and stays in the cluster for half a minute. Queries go to other copies. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type OpenSearchCluster, startOpenSearchCluster } from '#bench/peers/opensearch'
import type { Engine } from '#server/engines/engine'
import { openOpenSearchEngine } from '#server/engines/opensearch/opensearch'
import { versionsInMemory } from '#server/engines/opensearch/versions'
import { library, makePlan, match, matchAll, putDocument } from '#server/engines/suite/engine.suite.plans'

/** Shorter than OpenSearch takes to give up a node that hangs (23 s and more), and long enough for a loaded machine. */
const queryMsMax = 15_000
const words = Array.from({ length: 20 }, (_, index) => `word${index}`)

let cluster: OpenSearchCluster
let engine: Engine
before(async () => {
  cluster = await startOpenSearchCluster(2)
  engine = await openOpenSearchEngine(
    { nodes: [...cluster.urls], prefix: 'hung-', shards: 1, replicas: 1 },
    versionsInMemory(),
  )
  await engine.open('books', library)
  await engine.write(
    'books',
    words.map(word => putDocument(word, { title: word })),
  )
  await engine.refresh('books')
  await cluster.call('GET', '/_cluster/health?wait_for_status=green&timeout=60s')
  // The first queries of a fresh Java machine are slow. The words differ, so no statistics are cached.
  for (const word of words) await engine.search('books', makePlan([match(`other${word}`)]), 10 * queryMsMax)
})
after(async () => {
  await engine?.close()
  await cluster?.[Symbol.asyncDispose]()
})

/** The node that does not manage the cluster: without the other one, no node could join or leave. */
const findVictim = async (): Promise<number> => 1 - (await cluster.managerIndex())

test('while a node hangs, every query and document is answered before OpenSearch gives the node up', async () => {
  const victim = await findVictim()
  cluster.freeze(victim)
  try {
    // A plan selects its copy by its content, so about half of them would go to the node that hangs.
    const searches = words.map(async word => {
      const { total, hits } = await engine.search('books', makePlan([match(word)]), queryMsMax)
      return [total, hits.length]
    })
    assert.deepEqual(
      await Promise.all(searches),
      words.map(() => [1, 1]),
    )
    const counts = words.map(async word => {
      const plan = { ...makePlan([matchAll, match(word)]), count: 0 }
      return (await engine.search('books', plan, queryMsMax)).total
    })
    assert.deepEqual(
      await Promise.all(counts),
      words.map(() => 1),
    )
    const documents = await Promise.all(words.map(word => engine.get('books', word)))
    assert.ok(documents.every(document => document !== undefined))
  } finally {
    cluster.thaw(victim)
  }
})
