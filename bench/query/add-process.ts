/** The engine's own import: documents that are read already, in batches as the query service makes them, into a new generation. */
import { readFile } from 'node:fs/promises'
import { documentReader, generationSpec } from '#server/documents/entity'
import { openEmbeddedEngine } from '#server/engines/embedded'
import type { Write } from '#server/engines/engine'
import { collection, readDefinition } from './dictionary.ts'
import type { Sent } from './send-process.ts'

const batchDocuments = 1_000

const [dataDir, path] = process.argv.slice(2)
if (dataDir === undefined || path === undefined) throw new Error('the folder or the file is missing')

const definition = await readDefinition()
const spec = generationSpec(definition, collection)
const reader = documentReader(definition, collection)
const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
const writes = lines.map((line): Write => {
  const put = reader.read(JSON.parse(line))
  if ('message' in put) throw new Error(put.message)
  return { put }
})
const engine = await openEmbeddedEngine({ dataDir })

let generations = 0
process.on('message', async () => {
  const generation = `round-${generations++}`
  await engine.open(generation, spec)
  const startMs = performance.now()
  let writing = Promise.resolve()
  for (let at = 0; at < writes.length; at += batchDocuments) {
    await writing
    writing = engine.write(generation, writes.slice(at, at + batchDocuments))
  }
  await writing
  await engine.refresh(generation)
  const seconds = (performance.now() - startMs) / 1000
  await engine.drop(generation)
  process.send?.({ accepted: writes.length, seconds } satisfies Sent)
})
process.on('disconnect', async () => {
  await engine.close()
  process.exit()
})
process.send?.({ ready: true })
