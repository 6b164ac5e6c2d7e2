/** One step: the embedded engine opens so many collections of a hundred documents, which are copies of one folder. */
import { cp, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { catalogue, corpus } from '#bench/engine/corpus'
import { generationSpec } from '#server/documents/entity'
import { openEmbeddedEngine } from '#server/engines/embedded'
import { type Memory, memoryOf, processorUs } from './processor.ts'
import { finishStep, taskOfStep } from './step.ts'

export interface CollectionsTask {
  folder: string
  /** `fill` makes those that are missing. */
  do: 'fill' | 'open'
  collections: number
}
export interface Opened {
  /** How many were opened before one could not be. */
  opened: number
  error?: string
  ms: number
  processorMs: number
  before: Memory
  after: Memory
}

const documents = 100
const openedAtOnce = 8
const settleMs = 3_000

const { folder, do: what, collections } = await taskOfStep<CollectionsTask>()
const spec = generationSpec(catalogue, 'products')
const nameOf = (number: number) => `collection-${number}`

const fill = async (): Promise<void> => {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const documentAt = await corpus()
  const engine = await openEmbeddedEngine({ dataDir: folder })
  const first = nameOf(0)
  await engine.open(first, spec)
  const writes = Array.from({ length: documents }, (_, index) => {
    const { id, ...attributes } = documentAt(index)
    return { put: { id, entity: JSON.stringify({ id, class: [], attributes }) } }
  })
  await engine.write(first, writes)
  await engine.refresh(first)
  await engine.close()
  for (let number = 1; number < collections; number++)
    await cp(join(folder, first), join(folder, nameOf(number)), { recursive: true })
}

const open = async (): Promise<Opened> => {
  const engine = await openEmbeddedEngine({ dataDir: folder })
  const before = memoryOf(process.pid)
  const startMs = performance.now()
  const startUs = processorUs()
  let next = 0
  let opened = 0
  let error: string | undefined
  const openNext = async () => {
    for (let number = next++; number < collections && error === undefined; number = next++)
      try {
        await engine.open(nameOf(number), spec)
        opened++
      } catch (cause) {
        error = cause instanceof Error ? cause.message : String(cause)
      }
  }
  await Promise.all(Array.from({ length: openedAtOnce }, openNext))
  const ms = performance.now() - startMs
  const processorMs = (processorUs() - startUs) / 1000
  await wait(settleMs)
  const after = memoryOf(process.pid)
  return { opened, ...(error === undefined ? {} : { error }), ms, processorMs, before, after }
}

if (what === 'open') finishStep(await open())
else {
  await fill()
  finishStep({})
}
