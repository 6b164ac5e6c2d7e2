/** Adds a proposal to the text of a workspace file. */
import { editWorkspaceText } from './edit-workspace-text.ts'
import { type Proposal, proposedApi, proposedCollection } from './proposal.ts'

/** Returns the text with the collection and the API of the proposal. `source` is the text of a file that the reader has accepted. */
export const extendWorkspaceText = (source: string, proposal: Proposal): string =>
  editWorkspaceText(source, [
    { path: ['collections', proposal.collection], value: proposedCollection(proposal) },
    { path: ['apis', proposal.collection], value: proposedApi(proposal) },
  ])
