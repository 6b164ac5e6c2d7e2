/** `GET` and `DELETE` of the documents of a collection. */
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { EngineDocument } from '#engines/engine'
import { Problem } from '#errors'
import { readOptions, refuseOtherOptions, yesOrNo } from './address.ts'
import { type DocumentsContext, type DocumentsDependencies, refuseFiltered } from './admit.ts'
import { planDeletion } from './delete-by-query.ts'
import { auditDocuments, changeLive, readLive } from './live-generation.ts'

const countDefault = 100
const listOptions = {
  count: { test: /^([1-9][0-9]{0,2}|1000)$/, words: 'a whole number, 1 to 1000' },
  after: { test: /^.{1,2048}$/s, words: 'the "next" of the previous page' },
  format: { test: /^(json|ndjson)$/, words: 'json or ndjson' },
}
/** Time limit of a count. */
const countMs = 30_000
/** Documents per read while streaming. */
const streamedAtOnce = 1000
/**
 * A client that reads nothing for this long is disconnected, because no generation can be dropped meanwhile.
 */
const stalledMs = 60_000

/** Lists documents in pages, or streams all of them as NDJSON, ordered by id. */
export const listDocuments = (
  deps: DocumentsDependencies,
  context: DocumentsContext,
): Promise<DocumentsPage | PassThrough> => {
  refuseFiltered(deps, context)
  // Otherwise `?genre=drama` would list everything, just before the same address is used to delete.
  refuseOtherOptions(context.address.search, Object.keys(listOptions))
  const { count, after: afterId, format } = readOptions(context.address.search, listOptions)
  if (format !== 'ndjson') return listPage(deps, context, Number(count ?? countDefault), afterId)
  if (count !== undefined)
    throw new Problem(
      'bad-option',
      'count cannot be combined with format=ndjson, which returns all documents',
    )
  return streamAll(deps, context, afterId)
}

interface DocumentsPage {
  items: Record<string, unknown>[]
  next: string | null
}

/** Returns a page ordered by id. `next` is the `after` of the next page, null on the last one. */
const listPage = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  count: number,
  afterId: string | undefined,
): Promise<DocumentsPage> => {
  const documents = await readLive(deps, context, live => deps.engine.list(live, afterId, count + 1))
  const items = documents.slice(0, count)
  return {
    items: items.map(({ entity }) => context.reader.toDocument(entity)),
    next: documents.length > count ? (items.at(-1)?.id ?? null) : null,
  }
}

/**
 * Streams one generation, even if another is promoted meanwhile. Resolves with the first documents; a later
 * failure breaks the stream off.
 */
const streamAll = async (
  deps: DocumentsDependencies,
  context: DocumentsContext,
  afterId: string | undefined,
): Promise<PassThrough> => {
  const output = new PassThrough()
  const stalled = setTimeout(() => output.destroy(new Error('the client reads nothing')), stalledMs).unref()
  const { promise: started, resolve: start, reject: fail } = Promise.withResolvers<PassThrough>()
  const copy = () =>
    readLive(deps, context, async live => {
      const pages = async function* () {
        let last = afterId
        for (;;) {
          // The account may be disabled while the client reads at its own pace.
          await context.confirm()
          const page: EngineDocument[] = await deps.engine.list(live, last, streamedAtOnce)
          start(output)
          stalled.refresh()
          if (page.length > 0)
            yield page.map(({ entity }) => `${JSON.stringify(context.reader.toDocument(entity))}\n`).join('')
          last = page.at(-1)?.id
          if (page.length < streamedAtOnce) return
        }
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
  const plan = planDeletion(context.collection.fields, context.address.search, ['dryRun'])
  const deleted = await changeLive(deps, context, async live => {
    // The plan finds searchable documents only, so writes acknowledged without waiting must become searchable
    // first.
    await deps.engine.refresh(live)
    if (isDryRun) return (await deps.engine.search(live, plan, countMs)).total
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
