/** Reads the documents of a generation in pages. */
import type { Engine, EngineDocument, Plan } from '#engines/engine'
import { rememberSizes, searchInSlices, sliceLength } from '#engines/page-slices'
import { readCursor, writeCursor } from '#http/cursor'
import type { ReplySize } from '#http/reply-size'
import type { DocumentsContext, DocumentsDependencies } from './admit.ts'

/** Time limit of a search or a count. */
export const searchMs = 30_000

export interface Page {
  entities: string[]
  /** The `after` of the next page; undefined on the last one. */
  next: string | undefined
  /** Number of documents on all pages. */
  total: number
}

export interface PageSource {
  /**
   * Reads the page after the one whose `next` is given; without it, the first one. Throws 400 for a foreign `after`, and if `size` does.
   */
  read: (live: string, count: number, after: string | undefined, size: ReplySize) => Promise<Page>
}

/** All documents in order of id. `after` is the id before the page. */
export const listAll = ({ engine }: DocumentsDependencies): PageSource => ({
  async read(live, count, after, size) {
    // One more shows whether another page follows.
    const documents = await listInSlices(engine, live, after, count + 1, size)
    const page = documents.slice(0, count)
    return {
      entities: page.map(({ entity }) => entity),
      next: documents.length > count ? page.at(-1)?.id : undefined,
      total: engine.info(live).documents,
    }
  },
})

/** Lists documents like {@link Engine.list}, in slices. */
const listInSlices = async (
  engine: Engine,
  live: string,
  after: string | undefined,
  count: number,
  size: ReplySize,
): Promise<EngineDocument[]> => {
  const documents: EngineDocument[] = []
  let position = after
  while (documents.length < count) {
    const length = sliceLength(live, count - documents.length)
    const slice = await engine.list(live, position, length)
    const entities = slice.map(({ entity }) => entity)
    size.add(countCharacters(entities))
    rememberSizes(live, entities)
    documents.push(...slice)
    position = slice.at(-1)?.id
    if (slice.length < length) break
  }
  return documents
}

const countCharacters = (texts: readonly string[]): number =>
  texts.reduce((characters, { length }) => characters + length, 0)

/** The documents that the plan finds. `after` is a signed cursor, because engines trust their positions. */
export const listFound = (
  { engine, cursorKey }: DocumentsDependencies,
  { workspace, name }: DocumentsContext,
  plan: Plan,
): PageSource => {
  const { nodes, restrictions, order } = plan
  const scope = JSON.stringify(['documents', workspace.id, name, nodes, restrictions, order])
  return {
    async read(live, count, cursor, size) {
      const { items, after } = readCursor(cursorKey, scope, cursor ?? '*', 'after')
      const start = after === null ? { offset: items, after: '' } : { offset: 0, after }
      const livePlan = await pinExisting(engine, live, plan)
      const { hits, total, next } = await searchInSlices({
        engine,
        generation: live,
        plan: { ...livePlan, ...start, count, scores: false },
        run: part => engine.search(live, part, searchMs),
        size,
      })
      const end = items + hits.length
      const hasMore = hits.length > 0 && end < total
      return {
        entities: hits.map(({ entity }) => entity),
        next: hasMore ? writeCursor(cursorKey, scope, { items: end, after: next ?? null }) : undefined,
        total,
      }
    },
  }
}

/** Pins only documents that exist, because few texts are ids, and OpenSearch needs a script for a pinned document. */
const pinExisting = async (engine: Engine, live: string, plan: Plan): Promise<Plan> => {
  const nodes = await Promise.all(
    plan.nodes.map(async node => {
      if (node.kind !== 'match' || node.pinned === undefined) return node
      const entities = await Promise.all(node.pinned.map(id => engine.get(live, id)))
      return { ...node, pinned: node.pinned.filter((_, index) => entities[index] !== undefined) }
    }),
  )
  return { ...plan, nodes }
}
