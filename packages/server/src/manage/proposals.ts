/** Proposals for collections, from samples of documents. */
import type { Handler } from './call.ts'

export const proposalHandlers = {
  proposeCollection: ({ propose }, { input }) => propose(input),
} satisfies { proposeCollection: Handler<'proposeCollection'> }
