/** Answers the search of the documentation site (docs/.vitepress/theme/docs-search.ts). It needs no token, like the pages. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Problem } from '#errors'
import { toEngineProblem } from '#http/engine-problem'
import { createMinuteCounter, secondsLeft } from '#memory/minute-counter'
import type { DocsSearch } from './docs-search.ts'

export const docsSearchPath = '/console/docs/search'
/** The most of one address. A person who types sends about five a second. */
export const searchesPerMinute = 300
const addressesMax = 10_000
const textCharactersMax = 100

/** Handles `GET /console/docs/search?q=…`: `{"results": […]}`, the best sections first. */
export const registerDocsSearch = (app: FastifyInstance, docsSearch: DocsSearch): void => {
  const minutes = createMinuteCounter(addressesMax)
  app.get(docsSearchPath, async (request, reply) => {
    const minute = minutes.add(request.ip)
    if (minute.count > searchesPerMinute) throw tooManySearches(secondsLeft(minute))
    const text = readText(request)
    try {
      const results = await docsSearch.search(text)
      return await reply.header('cache-control', 'no-store').send({ results })
    } catch (error) {
      throw toEngineProblem(error)
    }
  })
}

const tooManySearches = (seconds: number): Problem =>
  new Problem(
    'too-many-requests',
    `more than ${searchesPerMinute} searches of the documentation per minute: wait ${seconds} s`,
    { headers: { 'retry-after': String(seconds) } },
  )

/** Throws Problem `bad-parameter`. */
const readText = ({ query }: FastifyRequest): string => {
  // Fastify makes an object of texts, or of lists of texts.
  const { q = '' } = query as { q?: string | string[] }
  if (typeof q === 'string' && q.length <= textCharactersMax) return q.trim()
  throw new Problem('bad-parameter', `q: allowed: one text of at most ${textCharactersMax} characters`)
}
