/** Tasks that take too long for the main thread. Each task is a pure function of cloneable values. */
import type { ErrorPlace } from '@querent/contract/errors'
import type { FaultText } from '@querent/contract/fault-texts'
import type { TextPatch } from '@querent/contract/patch-workspace-text'
import type { Path } from '@querent/contract/workspace-source'
import type { Strength } from './password-estimator.ts'

/** A problem at a path of a workspace file. */
export interface FileFinding extends FaultText {
  path: Path
  target?: 'key' | 'value'
}

/** Each task imports its modules at its first run, because the words for passwords take 70 MB. */
export const workerTasks = {
  /** Returns the file as JSON, because a string is cheaper to transfer than a tree. */
  async readWorkspaceFile(source: string): Promise<{ file: string } | { errors: ErrorPlace[] }> {
    const { readWorkspaceFile } = await import('@querent/contract/read-workspace-file')
    const read = readWorkspaceFile(source)
    return 'errors' in read ? read : { file: JSON.stringify(read.file) }
  },
  /** Adds line and column to each finding. */
  async locate({
    source,
    findings,
  }: {
    source: string
    findings: readonly FileFinding[]
  }): Promise<ErrorPlace[]> {
    const { locateFaults: locate } = await import('@querent/contract/workspace-source')
    return locate(source, findings)
  },
  /** Returns undefined if the text cannot be patched. */
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

/** Message to a thread. */
export interface WorkerRequest {
  name: WorkerTaskName
  input: unknown
}

/** Reply of a thread, one for each request. */
export type WorkerReply = { value: unknown } | { error: string }
