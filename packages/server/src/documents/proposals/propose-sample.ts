/** Proposes a collection for the beginning of a file. Runs in a thread, because it looks at each value of 2,000 documents. */
import type { Proposal } from '@querent/contract/proposal'
import { propose } from './propose.ts'
import { readSample, type SampleFormat } from './read-sample.ts'

export interface FileBeginning {
  /** Name of the file without its ending. */
  name: string
  format: SampleFormat
  text: string
  /** Whether more of the file follows. */
  isCut: boolean
}

/** Returns a text that says what is wrong if the file has no documents, or nothing in it can be their id. */
export const proposeSample = async ({
  name,
  format,
  text,
  isCut,
}: FileBeginning): Promise<Proposal | string> => {
  const sample = await readSample(Buffer.from(text), format, isCut)
  return typeof sample === 'string' ? sample : propose(name, sample)
}
