/** The same documents and queries with OpenSearch as the engine, one node and one shard: costs of the cluster and of our server. */
import type { Figure } from '#bench/figure'
import { startOpenSearch } from '#bench/peers/opensearch'
import { askAll, fill } from './documents.ts'
import { addTo, type GrowingIn, inMs } from './points.ts'

const sizesUsual = [10_000, 100_000, 1_000_000]

export const openSearchGrowth = async ({ folder, say, sizes = sizesUsual }: GrowingIn): Promise<Figure[]> => {
  const figures: Figure[] = []
  await using node = await startOpenSearch()
  const { nodes } = (await node.call('GET', '/_nodes/process')) as {
    nodes: Record<string, { process: { id: number } }>
  }
  const cluster = { url: node.url, pid: Object.values(nodes)[0]?.process.id ?? Number.NaN }
  for (const documents of sizes) {
    const filled = await fill({ folder, cluster }, documents, say)
    const add = addTo(figures, documents)
    add('processor of an import, ours', 'µs a document', [filled.processorUs / documents])
    add('processor of an import, the cluster', 'µs a document', [filled.clusterUs / documents])
    // See https://docs.opensearch.org/latest/api-reference/index-apis/stats/
    const { _all } = (await node.call('GET', `/growth-products-${documents}/_stats/store`)) as {
      _all: { primaries: { store: { size_in_bytes: number } } }
    }
    add('on disk, without replicas', 'bytes each', [_all.primaries.store.size_in_bytes / documents])
  }
  for await (const { name, took } of askAll({ folder, cluster }, sizes, say))
    for (const { documents, p50, processorUs, clusterUs } of took) {
      const add = addTo(figures, documents)
      add(`${name} p50`, 'ms', p50)
      add(`${name} processor, ours`, 'ms', inMs(processorUs))
      add(`${name} processor, the cluster`, 'ms', inMs(clusterUs))
    }
  return figures
}
