/** OpenSearch as the engine: what every engine promises, and the same plans to both engines. */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { startOpenSearch } from '#bench/peers/opensearch'
import type { Engine } from '#server/engines/engine'
import { engineSuite } from '#server/engines/engine.suite'
import { openOpenSearchEngine } from '#server/engines/opensearch/opensearch'
import { versionsInMemory } from '#server/engines/opensearch/versions'

const allCores = [0, 1]

const node = await startOpenSearch(allCores)
after(() => node[Symbol.asyncDispose]())

const open = (shards: number): Promise<Engine> => {
  const prefix = `test-${randomBytes(4).toString('hex')}-`
  return openOpenSearchEngine({ nodes: [node.url], prefix, shards, replicas: 0 }, versionsInMemory())
}

engineSuite(
  'OpenSearch',
  async () => {
    const engine = await open(1)
    return { engine, close: () => engine.close() }
  },
  { roundsSums: true, otherForms: { swedish: ['Husen'] } },
)
