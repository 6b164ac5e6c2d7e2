/** Lists the generations of a collection, and promotes one of them. */
import type { Writer } from '#storage/db'
import { type GenerationRow, listGenerations, makeEngineId } from '#storage/generations'
import type { WorkspaceRow } from '#storage/workspaces'
import type { Candidates, GenerationInfo } from './collections.ts'
import { type CollectionsContext, completeGeneration, withCollection } from './collections-context.ts'
import {
  configurationNames,
  configuredChoice,
  findChosen,
  findLatest,
  generationName,
  sortPromoted,
} from './generation-rows.ts'
import { reconcile } from './reconcile.ts'

/** Implements {@link Collections.list}. */
export const describeGenerations = async (
  context: CollectionsContext,
  { id: workspaceId, definition }: WorkspaceRow,
  collection: string,
  mayOpen = () => true,
): Promise<GenerationInfo[]> => {
  const rows = await listVisible(context, workspaceId, collection)
  const [live] = sortPromoted(rows)
  const namesAnswered = (row: GenerationRow) =>
    configurationNames(definition).filter(
      name => findChosen(rows, configuredChoice(definition, name, collection)) === row,
    )
  const documents = await Promise.all(rows.map(row => countOrSaved(context, row, mayOpen)))
  return rows.map((row, index) => ({
    name: generationName(row),
    createdAt: row.created_at,
    documents: documents[index],
    state: row.state === 'ready' ? (row === live ? 'promoted' : 'complete') : 'building',
    promotedAt: row.promoted_at ?? undefined,
    configurations: namesAnswered(row),
    failure: context.engine.failures?.().get(makeEngineId(row)),
  }))
}

/** Implements {@link Collections.promote}. */
export const promoteGeneration = async (
  context: CollectionsContext,
  workspaceId: string,
  collection: string,
  choose: (candidates: Candidates) => string,
  inTransaction: (writer: Writer, name: string) => Promise<void>,
): Promise<string> => {
  const { storage, registry, engineGenerations, builder } = context
  const promotedName = await withCollection(context, workspaceId, collection, async lock => {
    const rows = await listVisible(context, workspaceId, collection)
    const name = choose(listCandidates(rows))
    const row = rows.find(candidate => generationName(candidate) === name)
    if (!row) throw new Error('the chosen generation does not exist')
    const previous = registry.findLive(workspaceId, collection)
    if (previous?.row.id === row.id) return name
    const current = await builder.rebuildIfStale(row)
    await engineGenerations.openNow(current)
    await context.checkPromotion({ workspaceId, collection, generation: makeEngineId(current) })
    await storage.write(async writer => {
      await completeGeneration(writer, current, true, [lock])
      await inTransaction(writer, name)
    })
    await registry.load(workspaceId)
    if (previous) await engineGenerations.saveCount(previous.row)
    return name
  })
  await reconcile(context, workspaceId)
  return promotedName
}

/** All rows except scratch generations. */
const listVisible = async ({ storage }: CollectionsContext, workspaceId: string, collection: string) =>
  (await listGenerations(storage.db, workspaceId, collection)).filter(row => row.state !== 'aside')

const countOrSaved = async (
  { engine, engineGenerations }: CollectionsContext,
  row: GenerationRow,
  mayOpen: () => boolean,
): Promise<number | undefined> => {
  const saved = row.documents ?? undefined
  const id = makeEngineId(row)
  if (!engineGenerations.registered.has(id)) return saved
  const shouldOpen = engine.isOpened?.(id) === false && mayOpen()
  // A generation that cannot be opened is still listed.
  return (await engineGenerations.countDocuments(id, shouldOpen).catch(() => undefined)) ?? saved
}

const listCandidates = (rows: readonly GenerationRow[]): Candidates => {
  const namesWithState = (state: GenerationRow['state']) =>
    rows.filter(row => row.state === state).map(generationName)
  const latest = findLatest(rows)
  return {
    complete: namesWithState('ready'),
    building: namesWithState('building'),
    latest: latest && generationName(latest),
    promoted: sortPromoted(rows).map(generationName),
  }
}
