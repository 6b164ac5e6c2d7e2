/** Proposals for collections, from samples of documents. */
import type { Handler } from './call.ts'

export const proposalHandlers = {
  proposeCollection: ({ propose }, { workspace, input }) => propose(workspace.id, input),
} satisfies { proposeCollection: Handler<'proposeCollection'> }
