/**
 * Reads a page of documents in slices. An engine returns all documents of a call at once, and each may have 1 MiB. Slices bound the memory
 * of a call and the time in which its texts are copied into this thread, and the caller may stop after each.
 */
import { LRUCache } from 'lru-cache'
import { lruLimit } from '#memory/lru-limit'
import type { Engine, Hit, Plan, Reply } from './engine.ts'

/** Slices aim at this many characters. */
const sliceCharacters = 4 * 1024 * 1024
/** Documents of the first slice of a generation whose documents have unknown sizes. */
const firstSliceMax = 25
/** Documents of any slice: the limit of a call is 256 MiB, if small documents come first. */
export const sliceMax = 256
const sliceMin = 4
/** Sizes of smaller replies are not remembered, because most queries have one. */
const rememberedMin = 1024 * 1024
/** How often a page is read again because the index changed meanwhile. The last one is used, like pages of several requests. */
const attemptsMax = 3

/** Size of the largest documents that a generation returned lately. */
const largestByGeneration = new LRUCache<string, number>(lruLimit(10_000))

/** Number of documents to read at once, of `wanted` ones. */
export const sliceLength = (generation: string, wanted: number): number => {
  if (wanted <= sliceMin) return wanted
  const largest = largestByGeneration.get(generation)
  const fitting =
    largest === undefined
      ? firstSliceMax
      : Math.min(sliceMax, Math.max(sliceMin, Math.floor(sliceCharacters / largest)))
  return Math.min(wanted, fitting)
}

/** Remembers the sizes of a slice, and forgets earlier ones little by little. */
export const rememberSizes = (generation: string, entities: Iterable<string>): void => {
  let largest = (largestByGeneration.get(generation) ?? 0) * 0.8
  for (const { length } of entities) largest = Math.max(largest, length)
  largestByGeneration.set(generation, Math.max(1, largest))
}

export interface SlicedSearch {
  engine: Pick<Engine, 'version'>
  generation: string
  plan: Plan
  run(plan: Plan): Promise<Reply>
  /** Counts the characters of a slice, or takes them back. Throws to stop. */
  size: { add(characters: number): void; subtract(characters: number): void }
}

/** Answers a plan like {@link Engine.search}, in slices of its page. */
export const searchInSlices = async (search: SlicedSearch): Promise<Reply> => {
  const { engine, generation, size } = search
  for (let attempt = 1; ; attempt += 1) {
    const version = engine.version(generation)
    let characters = 0
    const take = (reply: Reply): void => {
      const slice = replyCharacters(reply)
      size.add(slice)
      characters += slice
    }
    try {
      const { reply, slices } = await readSlices(search, take)
      if (slices === 1 || attempt === attemptsMax || engine.version(generation) === version) return reply
    } catch (error) {
      size.subtract(characters)
      throw error
    }
    size.subtract(characters)
  }
}

const readSlices = async (
  { generation, plan, run }: SlicedSearch,
  take: (reply: Reply) => void,
): Promise<{ reply: Reply; slices: number }> => {
  const { facet: _, ...pagePlan } = plan
  let length = sliceLength(generation, plan.count)
  const first = await run(length === plan.count ? plan : { ...plan, count: length })
  take(first)
  const hits: Hit[] = first.hits
  let { next } = first
  let slices = 1
  let isFull = hits.length === length
  while (isFull && hits.length < plan.count && (plan.after === undefined || next !== undefined)) {
    rememberHits(generation, hits.slice(-length))
    length = sliceLength(generation, plan.count - hits.length)
    const start =
      plan.after === undefined ? { offset: plan.offset + hits.length } : { offset: 0, after: next ?? '' }
    const reply = await run({
      ...pagePlan,
      ...start,
      count: length,
      statistics: false,
      total: false,
      suggest: false,
    })
    take(reply)
    hits.push(...reply.hits)
    next = reply.next
    isFull = reply.hits.length === length
    slices += 1
  }
  if (slices > 1 || replyCharacters(first) > rememberedMin) rememberHits(generation, hits.slice(-length))
  const { next: _next, ...rest } = first
  return { reply: { ...rest, hits, ...(next !== undefined && { next }) }, slices }
}

const rememberHits = (generation: string, hits: readonly Hit[]): void =>
  rememberSizes(
    generation,
    hits.map(({ entity, collapsed }) => (collapsed ? entity + collapsed.others.join('') : entity)),
  )

/** Characters of the documents, highlights and options of a reply. */
const replyCharacters = ({ hits, facet }: Reply): number => {
  let characters = 0
  for (const { entity, highlights, collapsed } of hits) {
    characters += entity.length
    for (const text of collapsed?.others ?? []) characters += text.length
    if (!highlights) continue
    for (const [name, snippets] of Object.entries(highlights)) {
      characters += name.length
      for (const snippet of snippets) characters += snippet.length
    }
  }
  for (const { value } of facet?.options ?? []) characters += String(value).length
  return characters
}
