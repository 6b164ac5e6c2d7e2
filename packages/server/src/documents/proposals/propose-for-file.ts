/** Proposes a collection for a sample of a file, in a thread. */
import type { Proposal } from '@querent/contract/proposal'
import { Problem } from '#errors'
import { defineWorkerTask, workerPool } from '#workers/worker-pool'
import type { FileBeginning } from './propose-sample.ts'

const proposeTask = defineWorkerTask<typeof import('./propose-sample.ts'), 'proposeSample'>(
  '#documents/proposals/propose-sample',
  'proposeSample',
)

/**
 * Throws `bad-documents` if the file has no documents; `too-many-requests`, `overloaded` or `timeout` like the pool.
 */
export const proposeForFile = async (workspaceId: string, file: FileBeginning): Promise<Proposal> => {
  const proposal = await workerPool.run(workspaceId, proposeTask, file)
  if (typeof proposal === 'string') throw new Problem('bad-documents', proposal)
  return proposal
}
