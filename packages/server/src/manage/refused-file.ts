/** Rejected workspace files, before and after their errors have lines and columns. */
import type { ErrorPlace } from '@querent/contract/errors'
import { Problem } from '#errors'
import type { FileFinding } from '#workers/worker-tasks'

type RefusalCode = 'bad-workspace-file' | 'not-built-yet' | 'conflict'

/**
 * A file rejected at these paths. Finding lines and columns needs a parser, so a worker thread does it
 * (workspace-file-reader.ts).
 */
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

/** The message has the first place; `errors` has all. */
export const fileProblem = (code: RefusalCode, errors: readonly ErrorPlace[]): Problem => {
  const [first] = errors
  const place = first?.line === undefined ? '' : `line ${first.line}, column ${first.column}: `
  const path = first?.path && !first.message.startsWith(first.path) ? `${first.path}: ` : ''
  return new Problem(code, `${place}${path}${first?.message ?? 'the workspace file is not allowed'}`, {
    errors,
  })
}
