/** Proposes a collection for the beginning of a file. */
import type { Proposal } from '@querent/contract/proposal'
import { Problem } from '#errors'

export interface FileBeginning {
  /** Name of the file without its ending. */
  name: string
  format: 'ndjson' | 'json' | 'csv'
  text: string
  /** Whether more of the file follows. */
  isCut: boolean
}

/** Throws `bad-documents` if the file has no documents, or nothing in it can be their id. */
export const proposeForFile = async ({ name, format, text, isCut }: FileBeginning): Promise<Proposal> => {
  // Loaded when they are needed, because most servers never propose anything.
  const [{ readSample }, { propose }] = await Promise.all([
    import('./read-sample.ts'),
    import('./propose.ts'),
  ])
  const sample = await readSample(Buffer.from(text), format, isCut)
  const proposal = typeof sample === 'string' ? sample : propose(name, sample)
  if (typeof proposal === 'string') throw new Problem('bad-documents', proposal)
  return proposal
}
