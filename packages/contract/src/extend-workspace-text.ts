/** Adds a proposal to the text of a workspace file. */
import { parse, stringify } from 'yaml'
import { patchWorkspaceText } from './patch-workspace-text.ts'
import { addProposal, type Proposal } from './proposal.ts'
import type { WorkspaceFile } from './workspace-file.ts'

/** Returns the text with the collection and the API of the proposal. `source` is the text of a file that the reader has accepted. */
export const extendWorkspaceText = (source: string, proposal: Proposal): string => {
  const file = addProposal(parse(source) as WorkspaceFile, proposal)
  return patchWorkspaceText({ source, file }) ?? stringify(file)
}
