/** `GET` and `DELETE` of the documents of a collection. */
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { documentListOptions } from '@querent/contract/paths'
import type { Plan } from '#engines/engine'
import { sliceLength } from '#engines/page-slices'
import { Problem } from '#errors'
import { isOnePiece, joinParts, type Text } from '#http/large-text'
import type { ReplySize } from '#http/reply-size'
import { readOptions, yesOrNo } from './address.ts'
import { type DocumentsContext, type DocumentsDependencies, refuseFiltered } from './admit.ts'
import { readConditions } from './conditions.ts'
import { listAll, listFound, type Page, type PageSource, searchMs } from './document-pages.ts'
import type { DocumentReader } from './entity.ts'
import { planConditions, planText, planValues } from './find-documents.ts'
import { countDefault, listOptions } from './list-options.ts'
import { auditDocuments, changeLive, readLive } from './live-generation.ts'

/** Documents per read while streaming, at most. */
const streamedAtOnce = 1000
/** A stream is never in memory as a whole. */
const unlimited: ReplySize = { add: () => {}, subtract: () => {} }
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
  size: ReplySize,
): Promise<DocumentsPage | PassThrough> => {
  refuseFiltered(deps, context)
  const { collection, reader, address } = context
  const { count, after, format, search, values } = readOptions(address.search, listOptions)
  const conditions = readConditions(collection.fields, address.search, documentListOptions, 'bad-option')
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
    const page = await source.read(live, Number(count ?? countDefault), after, size)
    const values = valuesPlan && (await countValues(deps, live, valuesPlan))
    return { json: await joinParts(pageParts(page, reader, values)) }
  })
}

interface DocumentsPage {
  /** The `next` in it is the `after` of the next page, null on the last one. */
  json: Text
}

function* pageParts(
  { entities, next, total }: Page,
  { toDocument }: DocumentReader,
  values: object | undefined,
): Generator<string, void> {
  yield '{"items":['
  for (const [index, entity] of entities.entries())
    yield `${index === 0 ? '' : ','}${JSON.stringify(toDocument(entity))}`
  yield `],"next":${JSON.stringify(next ?? null)},"total":${total}`
  yield values ? `,"values":${JSON.stringify(values)}}` : '}'
}

function* lines(entities: readonly string[], { toDocument }: DocumentReader): Generator<string, void> {
  for (const entity of entities) yield `${JSON.stringify(toDocument(entity))}\n`
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
          // With the document that shows whether another page follows, the page is one slice.
          const count = Math.max(1, sliceLength(live, streamedAtOnce) - 1)
          const page = await source.read(live, count, position, unlimited)
          start(output)
          stalled.refresh()
          const text = await joinParts(lines(page.entities, context.reader), Number.POSITIVE_INFINITY)
          if (isOnePiece(text)) {
            if (text.length > 0) yield text
          } else yield* text
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

/** Deletes the documents that match all conditions; `dryRun=true` only counts them, unless the collection has a field of this name. */
export const deleteDocuments = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
): Promise<{ deleted: number }> => {
  refuseFiltered(deps, context)
  const { fields = {} } = context.collection
  const { search } = context.address
  const hasOption = !Object.hasOwn(fields, 'dryRun')
  const isDryRun = hasOption && readOptions(search, { dryRun: yesOrNo }).dryRun === 'true'
  const conditions = readConditions(fields, search, hasOption ? ['dryRun'] : [])
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
