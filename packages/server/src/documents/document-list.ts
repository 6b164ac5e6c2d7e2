/** `GET` and `DELETE` of many documents (workspace-file.md, Documents). */
import { PassThrough, Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { EngineDocument } from '#engines/engine'
import { Problem } from '#errors'
import { readOptions, refuseOtherOptions, yesOrNo } from './address.ts'
import { type Asked, changeLive, type DocumentsDependencies, readLive, refuseFiltered } from './admit.ts'
import { auditDocuments } from './audit.ts'
import { planOfConditions } from './delete-by-query.ts'

const countDefault = 100
const listOptions = {
  count: { test: /^([1-9][0-9]{0,2}|1000)$/, words: 'a whole number, 1 to 1000' },
  after: { test: /^.{1,2048}$/s, words: 'the "next" of the page before' },
  format: { test: /^(json|ndjson)$/, words: 'json or ndjson' },
}
/** How long counting may take. */
const countMs = 30_000
/** Documents that a stream reads at a time. */
const streamedAtOnce = 1000
/** A client that takes nothing for so long is given up: meanwhile no generation can be dropped. */
const stalledMs = 60_000

/** Lists documents in pages, or streams all of them as NDJSON, in the order of ids. */
export const listDocuments = (
  deps: DocumentsDependencies,
  asked: Asked,
): Promise<DocumentsPage | PassThrough> => {
  refuseFiltered(deps, asked)
  // `?genre=drama` would list everything, just before the same address is used to delete.
  refuseOtherOptions(asked.address.search, Object.keys(listOptions))
  const { count, after, format } = readOptions(asked.address.search, listOptions)
  if (format !== 'ndjson') return listPage(deps, asked, Number(count ?? countDefault), after)
  if (count !== undefined)
    throw new Problem('bad-option', 'count does not go with format=ndjson, which gives all documents')
  return streamAll(deps, asked, after)
}

interface DocumentsPage {
  items: Record<string, unknown>[]
  next: string | null
}

/** A page in the order of ids; `next` is the `after` of the next page, null on the last. */
const listPage = async (
  deps: DocumentsDependencies,
  asked: Asked,
  count: number,
  after: string | undefined,
): Promise<DocumentsPage> => {
  const found = await readLive(deps, asked, live => deps.engine.list(live, after, count + 1))
  const items = found.slice(0, count)
  return {
    items: items.map(({ entity }) => asked.reader.documentOf(entity)),
    next: found.length > count ? (items.at(-1)?.id ?? null) : null,
  }
}

/** All of one generation, also if another is promoted meanwhile. Resolves when the first documents are there; a later failure breaks the stream off. */
const streamAll = async (
  deps: DocumentsDependencies,
  asked: Asked,
  after: string | undefined,
): Promise<PassThrough> => {
  const out = new PassThrough()
  const stalled = setTimeout(() => out.destroy(new Error('the client takes nothing')), stalledMs).unref()
  const { promise: begun, resolve: begin, reject: fail } = Promise.withResolvers<PassThrough>()
  const copy = () =>
    readLive(deps, asked, async live => {
      const pages = async function* () {
        let last = after
        for (;;) {
          // The client reads at its own pace, in which its account may end.
          await asked.confirm()
          const page: EngineDocument[] = await deps.engine.list(live, last, streamedAtOnce)
          begin(out)
          stalled.refresh()
          if (page.length > 0)
            yield page.map(({ entity }) => `${JSON.stringify(asked.reader.documentOf(entity))}\n`).join('')
          last = page.at(-1)?.id
          if (page.length < streamedAtOnce) return
        }
      }
      await pipeline(Readable.from(pages(), { objectMode: false }), out)
    })
  deps.collections
    .keeping(copy)
    .catch(fail)
    .finally(() => clearTimeout(stalled))
  return begun
}

/** Deletes what matches all of the conditions; with `dryRun=true` only counts it. */
export const deleteDocuments = async (
  deps: DocumentsDependencies,
  asked: Asked,
): Promise<{ deleted: number }> => {
  refuseFiltered(deps, asked)
  const isDryRun = readOptions(asked.address.search, { dryRun: yesOrNo }).dryRun === 'true'
  const plan = planOfConditions(asked.collection.fields, asked.address.search, ['dryRun'])
  const deleted = await changeLive(deps, asked, async live => {
    // The plan finds what is searchable: what was acknowledged without waiting has to be.
    await deps.engine.refresh(live)
    if (isDryRun) return (await deps.engine.search(live, plan, countMs)).total
    const number = await deps.engine.deleteMatching(live, plan)
    await deps.engine.refresh(live)
    return number
  })
  if (deleted > 0 && !isDryRun)
    await deps.storage.write(writer =>
      auditDocuments(writer, asked, 'deleteDocuments', {
        deleted,
        where: [...new URLSearchParams(asked.address.search)].map(pair => pair.join('=')),
      }),
    )
  return { deleted }
}
