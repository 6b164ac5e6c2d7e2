/** `GET` and `DELETE` of many documents (workspace-file.md, Documents). */
import { readOptions, refuseOtherOptions } from './address.ts'
import { type Asked, type DocumentsDependencies, onLive, readLive, refuseFiltered } from './admit.ts'
import { auditDocuments } from './audit.ts'
import { planOfConditions } from './matching.ts'

const countDefault = 100
const listOptions = {
  count: { test: /^([1-9][0-9]{0,2}|1000)$/, words: 'a whole number, 1 to 1000' },
  after: { test: /^.{1,2048}$/s, words: 'the "next" of the page before' },
}

/** A page in the order of ids; `next` is what the next page's `after` is, null on the last. */
export const listDocuments = async (
  deps: DocumentsDependencies,
  asked: Asked,
): Promise<{ items: Record<string, unknown>[]; next: string | null }> => {
  refuseFiltered(deps, asked)
  // `?genre=drama` would list everything, just before the same address is used to delete.
  refuseOtherOptions(asked.address.search, Object.keys(listOptions))
  const options = readOptions(asked.address.search, listOptions)
  const count = Number(options.count ?? countDefault)
  const found = await readLive(deps, asked, live => deps.engine.list(live, options.after, count + 1))
  const items = found.slice(0, count)
  return {
    items: items.map(({ entity }) => asked.reader.documentOf(entity)),
    next: found.length > count ? (items.at(-1)?.id ?? null) : null,
  }
}

/** Deletes what matches all of the conditions. */
export const deleteDocuments = async (
  deps: DocumentsDependencies,
  asked: Asked,
): Promise<{ deleted: number }> => {
  refuseFiltered(deps, asked)
  const plan = planOfConditions(asked.collection.fields, asked.address.search)
  const deleted = await onLive(deps, asked, async live => {
    // The plan finds what is searchable: what was acknowledged without waiting has to be.
    await deps.engine.refresh(live)
    const number = await deps.engine.deleteMatching(live, plan)
    await deps.engine.refresh(live)
    return number
  })
  if (deleted > 0)
    await auditDocuments(deps, asked, 'deleteDocuments', {
      deleted,
      where: [...new URLSearchParams(asked.address.search)].map(pair => pair.join('=')),
    })
  return { deleted }
}
