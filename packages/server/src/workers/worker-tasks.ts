/** Work that takes too long for the thread that answers requests. Each task is a pure function of values that can be cloned. */
import type { ErrorPlace } from '@querent/contract/errors'
import type { TextPatch } from '@querent/contract/patch-workspace-text'
import type { Path } from '@querent/contract/workspace-source'
import type { Strength } from './password-estimator.ts'

/** Something found at a path of a workspace file. */
export interface FileFinding {
  path: Path
  message: string
  target?: 'key' | 'value'
}

/** Each loads what it needs when it first runs: words for passwords alone take 70 MB. */
export const workerTasks = {
  /** `file` is JSON: one text is cheaper to pass on than a tree. */
  async readWorkspaceFile(source: string): Promise<{ file: string } | { errors: ErrorPlace[] }> {
    const { readWorkspaceFile } = await import('@querent/contract/read-workspace-file')
    const read = readWorkspaceFile(source)
    return 'errors' in read ? read : { file: JSON.stringify(read.file) }
  },
  /** Adds line and column. */
  async locate({ source, found }: { source: string; found: readonly FileFinding[] }): Promise<ErrorPlace[]> {
    const { locateFaults: locate } = await import('@querent/contract/workspace-source')
    return locate(source, found)
  },
  /** Undefined: the text cannot be brought up to date. */
  async patchWorkspaceText(patch: TextPatch): Promise<string | undefined> {
    const { patchWorkspaceText } = await import('@querent/contract/patch-workspace-text')
    return patchWorkspaceText(patch)
  },
  async carrySections(texts: { previous: string; next: string }): Promise<string> {
    const { keepAdministratorSections: carrySections } = await import(
      '@querent/contract/patch-workspace-text'
    )
    return carrySections(texts)
  },
  async estimatePassword(input: { password: string; words: readonly string[] }): Promise<Strength> {
    const { estimatePassword } = await import('./password-estimator.ts')
    return estimatePassword(input)
  },
} as const

export type WorkerTasks = typeof workerTasks
export type WorkerTaskName = keyof WorkerTasks
export type WorkerTaskInput<Name extends WorkerTaskName> = Parameters<WorkerTasks[Name]>[0]
export type WorkerTaskOutput<Name extends WorkerTaskName> = Awaited<ReturnType<WorkerTasks[Name]>>

/** What a thread is sent. */
export interface WorkerRequest {
  name: WorkerTaskName
  input: unknown
}

/** What it answers with, once for each request. */
export type WorkerReply = { value: unknown } | { error: string }
