/** The same documents and queries with OpenSearch as the engine, one node and one shard: what they cost the cluster, and what ours. */
import { corpus, documentsFile } from '#bench/engine/corpus'
import type { Figure } from '#bench/figure'
import type { Say } from '#bench/http/rounds'
import { startOpenSearch } from '#bench/peers/opensearch'
import { addTo, askedKinds } from './documents.ts'
import type { DocumentsTask, Filled, Took } from './documents-process.ts'
import { runStep } from './step.ts'

const script = 'documents-process.ts'
const sizesUsual = [10_000, 100_000]
const rounds = 3
const roundMs = 2_000

export const openSearchGrowth = async ({
  folder,
  say,
  sizes = sizesUsual,
}: {
  folder: string
  say: Say
  sizes?: number[]
}): Promise<Figure[]> => {
  const figures: Figure[] = []
  const documentAt = await corpus()
  await using node = await startOpenSearch()
  const { nodes } = (await node.call('GET', '/_nodes/process')) as {
    nodes: Record<string, { process: { id: number } }>
  }
  const cluster = { url: node.url, pid: Object.values(nodes)[0]?.process.id ?? Number.NaN }
  for (const documents of sizes) {
    say(`${documents.toLocaleString('en-US')} documents are imported`)
    const file = await documentsFile(folder, documents)
    const fill: DocumentsTask = { folder, cluster, do: 'fill', documents, file }
    const filled = await runStep<Filled>('fill', script, fill)
    const add = addTo(figures, documents)
    add('processor of an import, ours', 'µs a document', [filled.processorUs / filled.documents])
    add('processor of an import, the cluster', 'µs a document', [filled.clusterUs / filled.documents])
    // Its REST API: https://docs.opensearch.org/latest/api-reference/index-apis/stats/
    const { _all } = (await node.call('GET', `/growth-products-${documents}/_stats/store`)) as {
      _all: { primaries: { store: { size_in_bytes: number } } }
    }
    add('on disk, without replicas', 'bytes each', [_all.primaries.store.size_in_bytes / documents])
  }
  for (const [name, asked] of Object.entries(askedKinds(documentAt))) {
    say(name)
    const ask: DocumentsTask = { folder, cluster, do: 'ask', sizes, asked, rounds, roundMs }
    for (const { documents, p50, processorUs, clusterUs } of await runStep<Took[]>('measure', script, ask)) {
      const add = addTo(figures, documents)
      const inMs = (us: readonly number[]) => us.map(each => each / 1000)
      add(`${name} p50`, 'ms', p50)
      add(`${name} processor, ours`, 'ms', inMs(processorUs))
      add(`${name} processor, the cluster`, 'ms', inMs(clusterUs))
    }
  }
  return figures
}
