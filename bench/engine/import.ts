/** Imports documents of a file into the engine like the query service: it writes a batch while it reads the next. */
import { createReadStream } from 'node:fs'
import type { Engine, Write } from '#server/engines/engine'

const batchDocumentsMax = 1_000
const batchCharsMax = 1024 * 1024
const chunkBytes = 256 * 1024

/** Resolves to the number of documents when the last one is durable. `isEnough` ends it early. */
export const importDocuments = async (
  engine: Engine,
  generation: string,
  path: string,
  isEnough: () => boolean = () => false,
): Promise<number> => {
  let batch: Write[] = []
  let chars = 0
  let count = 0
  let writing = Promise.resolve()
  const write = async () => {
    await writing
    count += batch.length
    writing = engine.write(generation, batch)
    batch = []
    chars = 0
  }
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: chunkBytes })) {
    if (isEnough()) break
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const tab = line.indexOf('\t')
      batch.push({ put: { id: line.slice(0, tab), entity: line.slice(tab + 1) } })
      chars += line.length
      if (batch.length >= batchDocumentsMax || chars >= batchCharsMax) await write()
    }
  }
  await write()
  await writing
  return count
}
