/** Adds workspaces to a data folder that no server uses. */
import { join } from 'node:path'
import { catalog } from '#bench/engine/corpus'
import { openStorage } from '#server/storage/db'
import { createWorkspace } from '#server/storage/workspaces'
import { finishStep, taskOfStep } from './step.ts'

export interface WorkspacesTask {
  data: string
  /** Range of workspace numbers, `to` excluded. */
  from: number
  to: number
  /** Whether each has a collection. */
  collections: boolean
}

const task = await taskOfStep<WorkspacesTask>()
const storage = await openStorage({ file: join(task.data, 'querent.db') })
const { collections: _, apis: __, ...bare } = catalog
await storage.write(async writer => {
  for (let number = task.from; number < task.to; number++)
    await createWorkspace(writer, { ...(task.collections ? catalog : bare), workspace: `bench-${number}` })
})
await storage.close()
finishStep({})
