/** Says on both pages of the demo how far the import is, so that nobody takes a missing entry for the end of the search. */
import { ApiError, queryApi } from '@querent/client'
import { find, numbers } from './elements.ts'

interface DemoDocuments {
  /** A public API with an endpoint `everything`, in packages/cli/dictionary/workspace.yaml. */
  api: string
  /** Number of documents after the import. */
  expected: number
  /** The plural of what a document is: entries, cities. */
  noun: string
  search: () => Promise<void>
}

const pollMs = 2000
/** After as many equal counts there is no import: somebody has deleted documents. */
const equalCountsMax = 30

/** Shows the number of imported documents, and searches again when there are more, until all are there. */
export const watchImport = async ({ api, expected, noun, search }: DemoDocuments): Promise<void> => {
  const documents = queryApi({ baseUrl: location.origin }, 'dictionary', api)
  const show = (isImporting: boolean) => {
    document.body.classList.toggle('importing', isImporting)
    find('importing').hidden = !isImporting
  }
  // Undefined: not counted yet.
  let lastCount: number | undefined
  let equalCounts = 0
  for (let polls = 0; equalCounts < equalCountsMax; polls += 1) {
    const count = await countDocuments(() => documents.count([{ endpoint: 'everything', parameters: [] }]))
    const isComplete = count !== undefined && count >= expected
    find('importing').textContent =
      `${numbers.format(count ?? 0)} of ${numbers.format(expected)} ${noun} are imported so far. The search finds more as the import goes on.`
    show(!isComplete)
    if (polls > 0 && count !== lastCount) await search()
    if (isComplete) return
    equalCounts = count === lastCount ? equalCounts + 1 : 0
    lastCount = count
    await new Promise(resolve => setTimeout(resolve, pollMs))
  }
  show(false)
}

/** Returns undefined while the demo has not created its API yet, and without a connection. Throws if the API refuses to count. */
const countDocuments = async (count: () => Promise<{ total: number }>): Promise<number | undefined> => {
  try {
    return (await count()).total
  } catch (error) {
    if (error instanceof ApiError && error.status !== 401) throw error
    return undefined
  }
}
