/** The engine's own import into a new generation: documents in memory, in batches as the query service makes them. */
import { readFile } from 'node:fs/promises'
import { generationSpec } from '#server/collections/generation-spec'
import { documentReader } from '#server/documents/entity'
import { openEmbeddedEngine } from '#server/engines/embedded/embedded'
import type { Write } from '#server/engines/engine'
import { collection, readDefinition } from './dictionary.ts'
import type { SendResult } from './send-process.ts'

const batchDocuments = 1_000

const [dataDir, path] = process.argv.slice(2)
if (dataDir === undefined || path === undefined) throw new Error('the folder or the file is missing')

const definition = await readDefinition()
const spec = generationSpec(definition, collection)
const reader = documentReader(definition, collection)
const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
const writes = lines.map((line): Write => {
  const write = reader.read(JSON.parse(line))
  if ('message' in write) throw new Error(write.message)
  return { put: write }
})
const engine = await openEmbeddedEngine({ dataDir })

let generations = 0
process.on('message', async () => {
  const generation = `round-${generations++}`
  await engine.open(generation, spec)
  const startMs = performance.now()
  let writing = Promise.resolve()
  for (let start = 0; start < writes.length; start += batchDocuments) {
    await writing
    writing = engine.write(generation, writes.slice(start, start + batchDocuments))
  }
  await writing
  await engine.refresh(generation)
  const seconds = (performance.now() - startMs) / 1000
  await engine.drop(generation)
  process.send?.({ accepted: writes.length, seconds } satisfies SendResult)
})
process.on('disconnect', async () => {
  await engine.close()
  process.exit()
})
process.send?.({ ready: true })
