/**
 * "Has anything changed?": asked again and again, and answered without going through the recipe (route.ts). What it found out step by step
 * is still known then; where anything may be otherwise, it goes through its steps again.
 */
import type { IncomingMessage } from 'node:http'
import type { RowFilter } from '@querent/contract/manage'
import type { StackedEndpoint } from '@querent/contract/paths'
import { type AuthorizationCacheDependencies, openAuthorizationCache } from '#authz/authorization-cache'
import { hasRepeatedAuthorization } from '#authz/authorize'
import type { Bearer } from '#authz/bearer'
import { previewHeader } from '#authz/preview'
import type { Engine } from '#engines/engine'
import type { CompiledApi } from '#query/plan/compile'
import { formatOf, requestTypeRows } from '#query/plan/request-types'
import type { MaybePromise } from '#storage/directory'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Activity } from '#usage/activity'
import { isPlannedFor, type Question, type Questions } from './plan-cache.ts'

/** Who asks, once they were let in. */
export interface Asking {
  workspace: WorkspaceRow
  api: CompiledApi
  /** All of them hold. */
  filters: readonly RowFilter[]
  /** Those of a member, also where `filters` are empty because the API is public; undefined for a stranger. */
  memberFilters: readonly RowFilter[] | undefined
  /** Id of a user or Client ID; '' for a public API. */
  subject: string
  /** Whose limits it counts for. */
  account: string
}

/** A reply that the client has, and would get again. */
export interface Unchanged {
  asking: Asking
  stack: readonly StackedEndpoint[]
  tag: string
  vary: string
  /** Value of the header that names ignored parameters. */
  ignored: string | undefined
}

interface Dependencies extends AuthorizationCacheDependencies {
  bearer: Pick<Bearer, 'tokenOfConnection' | 'recordHit'>
  activity: Pick<Activity, 'record'>
  questions: Pick<Questions, 'kept'>
  engine: Pick<Engine, 'version' | 'isOpened'>
  generation(
    workspace: WorkspaceRow,
    collection: string,
    config: string,
  ): MaybePromise<{ id: string } | undefined>
}

export const openAgain = (deps: Dependencies) => {
  const admitted = openAuthorizationCache<Asking>(deps)
  /** Who was let in before, by a URL that had been asked: one with a token in it is never kept. */
  const known = (request: IncomingMessage, { options, address }: Question): Asking | undefined => {
    const { headers, socket } = request
    // What is to be refused, the recipe refuses.
    if (!options || headers[previewHeader] !== undefined || hasRepeatedAuthorization(request))
      return undefined
    return admitted.get(headers.authorization, socket, address.resourcePath)
  }
  const letIn = (who: Asking): void => {
    deps.bearer.recordHit()
    deps.activity.record(who.workspace.id, who.subject)
  }
  /** Undefined where the recipe has to wait for it, or to refuse. */
  const versionOf = (generation: string): number | undefined => {
    if (deps.engine.isOpened?.(generation) === false) return undefined
    try {
      return deps.engine.version(generation)
    } catch {
      return undefined
    }
  }
  return {
    keep: admitted.set,
    asking(request: IncomingMessage, question: Question): Asking | undefined {
      const who = known(request, question)
      if (who) letIn(who)
      return who
    },
    /** No I/O. Pages of other origins go through the recipe: whether they may read the reply is asked of the storage. */
    unchanged(request: IncomingMessage): Unchanged | undefined {
      const { headers, url = '/' } = request
      const tag = headers['if-none-match']
      if (tag === undefined || headers.origin !== undefined) return undefined
      const question = deps.questions.kept(url)
      const { query: planned, options, request: asked } = question ?? {}
      if (!question || !options || asked?.kind !== 'query' || planned?.tag?.text !== tag) return undefined
      const { generation, version, format, vary } = planned.tag
      if (formatOf(requestTypeRows[asked.type], options, headers.accept) !== format) return undefined
      const who = known(request, question)
      if (!who || !isPlannedFor(planned, who)) return undefined
      const answers = deps.generation(who.workspace, planned.query.collection, options.config)
      if (answers === undefined || answers instanceof Promise || answers.id !== generation) return undefined
      if (versionOf(generation) !== version) return undefined
      letIn(who)
      return { asking: who, stack: asked.stack, tag, vary, ignored: options.ignored }
    },
  }
}
