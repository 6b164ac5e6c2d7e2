/**
 * The child process of the crash test: writes batches for ever and prints how many were acknowledged, until it is killed.
 * Some are followed by a refresh nobody waits for, so that the end may come in the middle of a commit of the index.
 */
import { openEmbeddedEngine } from './embedded.ts'
import { library, put } from './engine.suite.plans.ts'

const [dataDir = '', from = '0', batchSize = '50'] = process.argv.slice(2)
const engine = await openEmbeddedEngine({ dataDir })
await engine.open('g', library)
for (let batch = Number(from); ; batch++) {
  const first = batch * Number(batchSize)
  await engine.write(
    'g',
    Array.from({ length: Number(batchSize) }, (_, at) =>
      put(String(first + at).padStart(7, '0'), { title: `wing ${first + at}` }),
    ),
  )
  process.stdout.write(`${batch + 1}\n`)
  if (batch % 4 === 0) void engine.refresh('g')
}
