/** State of a query on its way through the recipe of route.ts. */

import type { StackedEndpoint } from '@querent/contract/paths'
import type { QueryReply } from '#http/raw-reply'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Asking } from './cache/not-modified.ts'
import type { Question } from './cache/plan-cache.ts'
import type { QueryOptions } from './options.ts'
import type { CompiledApi } from './plan/compile.ts'

/** What an address names, before it is known who asks. */
export interface Found {
  workspace: WorkspaceRow | undefined
  api: CompiledApi | undefined
}

/** What is known before anything can be refused. */
export interface Begun {
  question: Question
  found: Found
}

/** What is known of a request so far, to be counted when it is answered. */
export interface Noted {
  asking?: Asking
  stack?: readonly StackedEndpoint[]
  endpoint?: string
  total?: number
}

/** A request on its way, once it is known who asks and for what. */
export interface Answering {
  exchange: QueryReply
  asking: Asking
  /** The configuration that answers. */
  config: string
  options: QueryOptions
  noted: Noted
  /** When the query has to be answered (`performance.now()`). */
  endsAt: number
}
