/** Workspace files that are refused, before and after their places have lines and columns. */
import type { ErrorPlace } from '@querent/contract/errors'
import { Problem } from '#errors'
import type { FileFinding } from '#workers/worker-tasks'

type RefusalCode = 'bad-workspace-file' | 'not-built-yet' | 'conflict'

/** A file refused at these paths. Lines and columns take a parser, so that they are looked up in a worker thread (workspace-file-reader.ts). */
export class WorkspaceFileRefusal extends Error {
  readonly code: RefusalCode
  readonly faults: readonly FileFinding[]
  constructor(code: RefusalCode, faults: readonly FileFinding[]) {
    super(faults[0]?.message ?? 'the workspace file is not allowed')
    this.name = 'RefusedFile'
    this.code = code
    this.faults = faults
  }
}

/** The message is about the first place, all are in `errors`. */
export const fileProblem = (code: RefusalCode, errors: readonly ErrorPlace[]): Problem => {
  const [first] = errors
  const place = first?.line === undefined ? '' : `line ${first.line}, column ${first.column}: `
  const path = first?.path && !first.message.startsWith(first.path) ? `${first.path}: ` : ''
  return new Problem(code, `${place}${path}${first?.message ?? 'the workspace file is not allowed'}`, {
    errors,
  })
}
