import type { Proposal } from '@querent/contract/proposal'

/** A file, and what the server proposes for it. */
export interface ProposedFile {
  file: File
  proposal: Proposal
  /** Its cells are text. */
  isTable: boolean
}
