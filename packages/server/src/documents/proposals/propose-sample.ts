/** Proposes a collection for the sample of a file. Runs in a thread, because it looks at each value of thousands of documents. */
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
  /** Parts from later in the file, which may begin and end within a record. */
  parts?: string[]
  /** Path of the list inside a JSON object that has the documents. */
  rows?: string
}

/** Returns a text that says what is wrong if the file has no documents. */
export const proposeSample = async ({
  name,
  format,
  text,
  isCut,
  parts = [],
  rows,
}: FileBeginning): Promise<Proposal | string> => {
  const sample = await readSample(
    Buffer.from(text),
    format,
    isCut,
    parts.map(part => Buffer.from(part)),
    rows,
  )
  return typeof sample === 'string' ? sample : propose(name, sample)
}
