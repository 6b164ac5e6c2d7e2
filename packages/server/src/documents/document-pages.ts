/** Reads the documents of a generation in pages. */
import type { Engine, Plan } from '#engines/engine'
import { readCursor, writeCursor } from '#http/cursor'
import type { DocumentsContext, DocumentsDependencies } from './admit.ts'

/** Time limit of a search or a count. */
export const searchMs = 30_000

interface Page {
  entities: string[]
  /** The `after` of the next page; undefined on the last one. */
  next: string | undefined
  /** Number of documents on all pages. */
  total: number
}

export interface PageSource {
  /** Reads the page after the one whose `next` is given; without it, the first one. Throws 400 for a foreign `after`. */
  read: (live: string, count: number, after: string | undefined) => Promise<Page>
}

/** All documents in order of id. `after` is the id before the page. */
export const listAll = ({ engine }: DocumentsDependencies): PageSource => ({
  async read(live, count, after) {
    const documents = await engine.list(live, after, count + 1)
    const page = documents.slice(0, count)
    return {
      entities: page.map(({ entity }) => entity),
      next: documents.length > count ? page.at(-1)?.id : undefined,
      total: engine.info(live).documents,
    }
  },
})

/** The documents that the plan finds. `after` is a signed cursor, because engines trust their positions. */
export const listFound = (
  { engine, cursorKey }: DocumentsDependencies,
  { workspace, name }: DocumentsContext,
  plan: Plan,
): PageSource => {
  const { nodes, restrictions, order } = plan
  const scope = JSON.stringify(['documents', workspace.id, name, nodes, restrictions, order])
  return {
    async read(live, count, cursor) {
      const { items, after } = readCursor(cursorKey, scope, cursor ?? '*', 'after')
      const start = after === null ? { offset: items, after: '' } : { offset: 0, after }
      const livePlan = await pinExisting(engine, live, plan)
      const { hits, total, next } = await engine.search(
        live,
        { ...livePlan, ...start, count, scores: false },
        searchMs,
      )
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
