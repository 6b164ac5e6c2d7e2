/** `GET` and `DELETE` of the documents of a collection. */
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Plan } from '#engines/engine'
import { Problem } from '#errors'
import { readOptions, yesOrNo } from './address.ts'
import { type DocumentsContext, type DocumentsDependencies, refuseFiltered } from './admit.ts'
import { readConditions } from './conditions.ts'
import { listAll, listFound, type PageSource, searchMs } from './document-pages.ts'
import { planConditions, planText, planValues } from './find-documents.ts'
import { auditDocuments, changeLive, readLive } from './live-generation.ts'

const countDefault = 100
const listOptions = {
  count: { test: /^([1-9][0-9]{0,2}|1000)$/, words: 'a whole number, 1 to 1000' },
  after: { test: /^.{1,2048}$/s, words: 'the "next" of the previous page' },
  format: { test: /^(json|ndjson)$/, words: 'json or ndjson' },
  search: { test: /^.{1,1000}$/s, words: 'text of 1 to 1000 characters' },
  values: { test: /^.{1,200}$/s, words: 'the name of a field' },
}
/** Documents per read while streaming. */
const streamedAtOnce = 1000
/**
 * A client that reads nothing for this long is disconnected, because no generation can be dropped meanwhile.
 */
const stalledMs = 60_000

/**
 * Lists documents in pages, or streams all of them as NDJSON. They are ordered by id, or by relevance to the text in `search`. Only
 * documents that meet all conditions `?field=value` are listed.
 */
export const listDocuments = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
): Promise<DocumentsPage | PassThrough> => {
  refuseFiltered(deps, context)
  const { collection, reader, address } = context
  const { count, after, format, search, values } = readOptions(address.search, listOptions)
  const conditions = readConditions(collection.fields, address.search, Object.keys(listOptions), 'bad-option')
  const plan =
    search === undefined ? planConditions(conditions) : planText(collection, reader, conditions, search)
  const isEverything = search === undefined && conditions.length === 0
  const source = isEverything ? listAll(deps) : listFound(deps, context, plan)
  if (format === 'ndjson') {
    if (count !== undefined || values !== undefined)
      throw new Problem(
        'bad-option',
        'count and values cannot be combined with format=ndjson, which returns all documents',
      )
    return streamAll(deps, context, source, after)
  }
  const valuesPlan = values === undefined ? undefined : planValues(collection, plan, values)
  return readLive(deps, context, async live => {
    const page = await source.read(live, Number(count ?? countDefault), after)
    return {
      items: page.entities.map(reader.toDocument),
      next: page.next ?? null,
      total: page.total,
      ...(valuesPlan && { values: await countValues(deps, live, valuesPlan) }),
    }
  })
}

interface DocumentsPage {
  items: Record<string, unknown>[]
  /** The `after` of the next page, null on the last one. */
  next: string | null
  /** Number of documents on all pages. */
  total: number
  /** With the option `values`: the most frequent values of that field. */
  values?: { value: string; documents: number }[]
}

const countValues = async (
  { engine }: DocumentsDependencies,
  live: string,
  plan: Plan,
): Promise<{ value: string; documents: number }[]> => {
  const { facet } = await engine.search(live, plan, searchMs)
  return (facet?.options ?? []).map(({ value, count }) => ({ value, documents: count }))
}

/**
 * Streams one generation, even if another is promoted meanwhile. Resolves with the first documents; a later
 * failure breaks the stream off.
 */
const streamAll = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  source: PageSource,
  after: string | undefined,
): Promise<PassThrough> => {
  const output = new PassThrough()
  const stalled = setTimeout(() => output.destroy(new Error('the client reads nothing')), stalledMs).unref()
  const { promise: started, resolve: start, reject: fail } = Promise.withResolvers<PassThrough>()
  const copy = () =>
    readLive(deps, context, async live => {
      const pages = async function* () {
        let position = after
        do {
          // The account may be disabled while the client reads at its own pace.
          await context.confirm()
          const page = await source.read(live, streamedAtOnce, position)
          start(output)
          stalled.refresh()
          if (page.entities.length > 0)
            yield page.entities
              .map(entity => `${JSON.stringify(context.reader.toDocument(entity))}\n`)
              .join('')
          position = page.next
        } while (position !== undefined)
      }
      await pipeline(Readable.from(pages(), { objectMode: false }), output)
    })
  deps.collections
    .withPinned(copy)
    .catch(fail)
    .finally(() => clearTimeout(stalled))
  return started
}

/** Deletes the documents that match all conditions; `dryRun=true` only counts them. */
export const deleteDocuments = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
): Promise<{ deleted: number }> => {
  refuseFiltered(deps, context)
  const isDryRun = readOptions(context.address.search, { dryRun: yesOrNo }).dryRun === 'true'
  const conditions = readConditions(context.collection.fields, context.address.search, ['dryRun'])
  if (conditions.length === 0)
    throw new Problem(
      'bad-parameter',
      'a filter is missing: write ?field=value, or name one document by its id',
    )
  const plan = planConditions(conditions)
  const deleted = await changeLive(deps, context, async live => {
    // The plan finds searchable documents only, so writes acknowledged without waiting must become searchable
    // first.
    await deps.engine.refresh(live)
    if (isDryRun) return (await deps.engine.search(live, plan, searchMs)).total
    const number = await deps.engine.deleteMatching(live, plan)
    await deps.engine.refresh(live)
    return number
  })
  if (deleted > 0 && !isDryRun)
    await deps.storage.write(writer =>
      auditDocuments(writer, context, 'deleteDocuments', {
        deleted,
        where: [...new URLSearchParams(context.address.search)].map(pair => pair.join('=')),
      }),
    )
  return { deleted }
}
