/** Leak tests of a workspace: what a group or member must not see. */
import { LeakTest, LeakTestOutcome } from '#relevance-tests'
import { Type } from '#schema'
import { closed, type Operations, WorkspaceParams } from './operation.ts'

/** Tests of one request. A file may have more, which clients send in several requests. */
export const leakTestsAtOnceMax = 100

export const leakTestOperations = {
  runLeakTests: {
    id: 'runLeakTests',
    method: 'POST',
    path: '/workspaces/{workspace}/leak-tests',
    permission: 'edit',
    summary:
      'Run leak tests: those of the workspace file, or those in the request; changes nothing. Members who do not see everything get 403',
    params: WorkspaceParams,
    input: Type.Object(
      {
        tests: Type.Optional(
          Type.Array(LeakTest, {
            maxItems: leakTestsAtOnceMax,
            description: 'Instead of those of the file. Only administrators may name members here',
          }),
        ),
        config: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 100,
            description: 'Configuration whose generations answer, instead of the one that a test names',
          }),
        ),
      },
      closed,
    ),
    status: 200,
    reply: Type.Object({ items: Type.Array(LeakTestOutcome) }),
  },
} as const satisfies Operations
