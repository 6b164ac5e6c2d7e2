import type { Proposal } from '@querent/contract/proposal'

/** A file, and what the server proposes for it. */
export interface ProposedFile {
  file: File
  proposal: Proposal
  /** Its cells are text. */
  isTable: boolean
  /** Path of the list of documents in the file that a person chose instead of the longest. */
  rows?: string
}
