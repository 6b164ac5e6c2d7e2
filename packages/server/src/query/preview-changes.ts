/**
 * Answers a query with unsaved changes of the definition (docs/relevance.md, "Try settings before you save them"). Everything else is as in
 * every query: row filter, limits, deadline. Nothing of it is cached or counted as usage.
 */
import type { IncomingMessage } from 'node:http'
import { changeDefinition } from '@querent/contract/preview-changes'
import type { Definition } from '@querent/contract/workspace-file'
import { withoutHiddenFields } from '#authz/without-hidden-fields'
import { Problem } from '#errors'
import type { QueryReply } from '#http/raw-reply'
import type { Caller } from './cache/not-modified.ts'
import type { CachedRequest, PlanCache } from './cache/plan-cache.ts'
import { compileApi } from './plan/compile.ts'
import type { QueryService } from './query-context.ts'

/** Encoded. Node accepts 64 KiB for all headers together. */
const headerCharsMax = 16 * 1024

/** Keeps nothing, so that no other query sees the plans of a preview. */
const noPlanCache: Pick<PlanCache, 'set'> = { set() {} }

interface QueryParts {
  service: QueryService
  reply: QueryReply
  caller: Caller
  cached: CachedRequest
}

/** Returns the parts of the query with the changes of its header. Throws Problem `bad-parameter`. */
export const withPreviewChanges = (
  { service, reply, caller, cached }: QueryParts,
  header: string,
): QueryParts => {
  const { workspace, api } = caller
  const { hidden } = api
  const visible = hidden ? withoutHiddenFields(workspace.definition, api.name, hidden) : workspace.definition
  const changed = changeDefinition(visible, api.name, readChanges(header))
  if ('faults' in changed) throw badChanges(changed.faults)
  const definition = hidden ? withFields(changed.definition, workspace.definition) : changed.definition
  const changedCaller = { ...caller, api: compileApi(definition, api.name, api.open, hidden) }
  return {
    service: { ...service, planCache: { ...service.planCache, ...noPlanCache } },
    reply: withoutTag(reply),
    caller: changedCaller,
    cached: { address: cached.address },
  }
}

/** Returns the changed definition with the hidden fields, which row filters and readers may name. */
const withFields = (changed: Definition, whole: Definition): Definition => ({
  ...changed,
  collections: Object.fromEntries(
    Object.entries(whole.collections ?? {}).map(([name, collection]) => [
      name,
      { ...collection, fields: { ...collection.fields, ...changed.collections?.[name]?.fields } },
    ]),
  ),
})

const readChanges = (header: string): unknown => {
  if (header.length > headerCharsMax)
    throw new Problem(
      'bad-parameter',
      `Querent-Preview-Changes: found ${header.length} characters, allowed: up to ${headerCharsMax}`,
    )
  try {
    return JSON.parse(decodeURIComponent(header))
  } catch {
    throw new Problem(
      'bad-parameter',
      'Querent-Preview-Changes: found text that is not percent-encoded JSON, allowed: an object with "weights", "endpoints" or "curation"',
    )
  }
}

const badChanges = (faults: readonly { path: readonly (string | number)[]; message: string }[]): Problem => {
  const [first] = faults
  const place = first && first.path.length > 0 ? ` ${first.path.join('.')}` : ''
  return new Problem('bad-parameter', `Querent-Preview-Changes:${place}: ${first?.message ?? 'not allowed'}`)
}

/** The entity tag does not cover the changes, so a preview neither sends nor compares one. */
const withoutTag = (reply: QueryReply): QueryReply => {
  const { 'if-none-match': _tag, ...headers } = reply.request.headers
  // Everything else is inherited from the request.
  const request = Object.create(reply.request, { headers: { value: headers } }) as IncomingMessage
  return {
    ...reply,
    request,
    header(name, value) {
      if (name !== 'etag') reply.header(name, value)
    },
  }
}
