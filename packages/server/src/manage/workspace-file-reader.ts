/**
 * Reads workspace files in worker threads. Each account has one file at a time and a limit of bytes per
 * minute.
 */
import type { ErrorPlace } from '@querent/contract/errors'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { Problem } from '#errors'
import { createMinuteCounter, secondsLeft } from '#memory/minute-counter'
import { defineWorkerTask, type WorkerPool, workerPool } from '#workers/worker-pool'
import type { FileFinding } from './workspace-file-tasks.ts'

type Tasks = typeof import('./workspace-file-tasks.ts')
const readTask = defineWorkerTask<Tasks, 'readFile'>('#manage/workspace-file-tasks', 'readFile')
const locateTask = defineWorkerTask<Tasks, 'locateFindings'>('#manage/workspace-file-tasks', 'locateFindings')

export interface FileSender {
  account: string
  /** Workspace or account that the work counts for, in the worker pool. */
  owner: string
  /** Schemes of redirect URIs that the operator allows; absent: those of known editors. */
  nativeSchemes?: readonly string[]
}

export interface WorkspaceFileReader {
  /**
   * Reads and checks the file. Throws Problem: `bad-workspace-file` with every place; `too-many-requests`
   * beyond the limits of the account; `timeout` or `overloaded`.
   */
  read(sender: FileSender, source: string): Promise<WorkspaceFile>
  /** Adds line and column to findings. */
  locate(sender: FileSender, source: string, findings: readonly FileFinding[]): Promise<ErrorPlace[]>
  /** Runs a step, and turns its {@link WorkspaceFileRefusal} into a Problem with lines and columns. */
  withPlaces<T>(sender: FileSender, source: string, step: () => Promise<T>): Promise<T>
}

export interface ReaderLimits {
  /** Files of one account being read or waiting. */
  atOnceMax: number
  bytesPerMinuteMax: number
}

/** Accounts counted at a time. */
const accountsMax = 10_000

export const openWorkspaceFileReader = (
  pool: WorkerPool,
  { atOnceMax, bytesPerMinuteMax }: ReaderLimits,
): WorkspaceFileReader => {
  const turns = new Map<string, { count: number; last: Promise<unknown> }>()
  const recentBytes = createMinuteCounter(accountsMax)

  /** Runs a task after the account's earlier ones. */
  const inTurn = async <T>(account: string, task: () => Promise<T>): Promise<T> => {
    const turn = turns.get(account) ?? { count: 0, last: Promise.resolve() }
    turns.set(account, turn)
    turn.count++
    const result = turn.last.then(task)
    // The caller gets the failure; the next one only waits for its turn.
    turn.last = result.catch(() => {})
    try {
      return await result
    } finally {
      turn.count--
      if (turn.count === 0) turns.delete(account)
    }
  }
  const countBytes = (account: string, bytes: number): void => {
    const minute = recentBytes.start(account)
    if (minute.count + bytes > bytesPerMinuteMax)
      throw tooManyRequests(
        `more than ${bytesPerMinuteMax} bytes of workspace files within a minute`,
        secondsLeft(minute),
      )
    minute.count += bytes
  }
  const locate: WorkspaceFileReader['locate'] = async ({ account, owner }, source, findings) =>
    findings.length === 0 ? [] : inTurn(account, () => pool.run(owner, locateTask, { source, findings }))

  return {
    async read({ account, owner, nativeSchemes }, source) {
      if ((turns.get(account)?.count ?? 0) >= atOnceMax)
        throw tooManyRequests(`more than ${atOnceMax} workspace files at once`, 1)
      countBytes(account, source.length)
      const result = await inTurn(account, () =>
        pool.run(owner, readTask, { source, ...(nativeSchemes && { nativeSchemes }) }),
      )
      if ('errors' in result) throw fileProblem('bad-workspace-file', result.errors)
      // The worker thread has validated it.
      return JSON.parse(result.file) as WorkspaceFile
    },
    locate,
    async withPlaces(sender, source, step) {
      try {
        return await step()
      } catch (error) {
        if (!(error instanceof WorkspaceFileRefusal)) throw error
        throw fileProblem(error.code, await locate(sender, source, error.faults))
      }
    },
  }
}

type RefusalCode = 'bad-workspace-file' | 'conflict'

/**
 * A file rejected at these paths. Finding lines and columns needs a parser, so a worker thread does it.
 */
export class WorkspaceFileRefusal extends Error {
  readonly code: RefusalCode
  readonly faults: readonly FileFinding[]
  constructor(code: RefusalCode, faults: readonly FileFinding[]) {
    super(faults[0]?.message ?? 'the workspace file is not allowed')
    this.name = 'WorkspaceFileRefusal'
    this.code = code
    this.faults = faults
  }
}

/** The message has the first place; `errors` has all. */
const fileProblem = (code: RefusalCode, errors: readonly ErrorPlace[]): Problem => {
  const [first] = errors
  const place = first?.line === undefined ? '' : `line ${first.line}, column ${first.column}: `
  const path = first?.path && !first.message.startsWith(first.path) ? `${first.path}: ` : ''
  return new Problem(code, `${place}${path}${first?.message ?? 'the workspace file is not allowed'}`, {
    errors,
  })
}

const tooManyRequests = (reason: string, seconds: number): Problem =>
  new Problem('too-many-requests', `${reason}: try again in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  })

/** For each account. */
export const readerLimits: ReaderLimits = { atOnceMax: 4, bytesPerMinuteMax: 10 * 1024 * 1024 }

/** The reader of this process. */
export const workspaceFileReader = openWorkspaceFileReader(workerPool, readerLimits)
