/**
 * Searches the documentation with a collection of its own: an embedded engine in a folder that is filled at the first search and removed at
 * the end. It is in no workspace, so that nothing counts, exports or backs it up.
 */
import { mkdir, readFile, rm } from 'node:fs/promises'
import { generationSpec } from '#collections/generation-spec'
import { parseEntity } from '#collections/stored-entity'
import { documentReader } from '#documents/entity'
import type { Engine, Hit, Write } from '#engines/engine'
import { openEngine } from '#engines/open'
import { compileApi } from '#query/plan/compile'
import { docsDefinition, docsName, queryParameter, searchEndpoint } from './definition.ts'

/** A section of a page that was found. */
export interface DocsResult {
  /** Title of the page, and heading of the section. */
  page: string
  title: string
  address: string
  /** HTML: the words around the matches, which are in `<mark>`. */
  snippet: string
}

export interface DocsSearch {
  /** Returns the best sections, at most 12; with an empty text none, but it is ready then. Rejects with EngineError. */
  search(text: string): Promise<DocsResult[]>
  close(): Promise<void>
}

const resultsMax = 12
const deadlineMs = 2000
/** Searches that wait for the one thread. */
const queueMax = 32

/**
 * `file`: sections of the documentation, a JSON document in each line (docs/.vitepress/plain-text.ts). Opens nothing before the first search.
 * `folder` receives the index, and belongs to this process alone. The first search empties it, because a killed process may have left it.
 */
export const createDocsSearch = (file: string, folder: string): DocsSearch => {
  const { plan } = compileApi(docsDefinition, docsName)
  let indexPromise: Promise<OpenIndex> | undefined
  const open = (): Promise<OpenIndex> => {
    indexPromise ??= openIndex(file, folder).catch(error => {
      indexPromise = undefined
      throw error
    })
    return indexPromise
  }
  return {
    async search(text) {
      const { engine } = await open()
      if (text === '') return []
      const stack = [{ endpoint: searchEndpoint, parameters: [{ name: queryParameter, value: text }] }]
      const request = { stack, filters: [], offset: 0, count: resultsMax, cutoff: 0, statistics: false }
      const planned = plan({ ...request, highlight: true })
      const { hits } = await engine.search(docsName, planned.plan, deadlineMs)
      return hits.map(readResult)
    },
    async close() {
      // Searches have reported why it could not be opened, and it left nothing to close.
      const index = await indexPromise?.catch(() => undefined)
      await index?.close()
    },
  }
}

interface OpenIndex {
  engine: Engine
  close(): Promise<void>
}

const openIndex = async (file: string, folder: string): Promise<OpenIndex> => {
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  await removeFolder()
  try {
    await mkdir(folder, { recursive: true })
    const engine = await openEngine({ kind: 'embedded', dataDir: folder, threads: 1, queueMax })
    const close = async () => {
      await engine.close()
      await removeFolder()
    }
    await engine.open(docsName, generationSpec(docsDefinition, docsName))
    await engine.write(docsName, await readSections(file))
    await engine.refresh(docsName)
    return { engine, close }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

const readSections = async (file: string): Promise<Write[]> => {
  const { read } = documentReader(docsDefinition, docsName)
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  return lines.map(line => {
    const section: Section = JSON.parse(line)
    const document = read({ ...section, importance: rateImportance(section) })
    if ('message' in document) throw new Error(`${file}: ${document.message}`)
    return { put: document }
  })
}

interface Section {
  id: string
}

/** Pages that list everything, and those for readers with another product or a standard in mind. They have all words of most questions. */
const lists = /^(reference|internals|coming-from|security-requirements)\b/
/** Pages of reasons, which have the words of many tasks. */
const reasons = /^(security|performance|scale|faults)\b/

/** Returns the factor of a section's rank: pages that explain a task come before others. */
const rateImportance = ({ id }: Section): number => (lists.test(id) ? 1 : reasons.test(id) ? 6 : 10)

const readResult = ({ entity, highlights = {} }: Hit): DocsResult => {
  // `readSections` wrote it.
  const attributes = parseEntity(entity).attributes as unknown as Omit<DocsResult, 'snippet'>
  const { page, title, address } = attributes
  return { page, title, address, snippet: highlights.text?.[0] ?? '' }
}
