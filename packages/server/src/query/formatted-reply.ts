/** Writes results in a format other than JSON (query-service.md, Paths: `format`). */
import { expandFields } from '@querent/contract/object-fields'
import { contractVersion } from '@querent/contract/paths'
import type { Format } from '@querent/contract/query-options'
import type { Reply } from '#engines/engine'
import { Problem } from '#errors'
import type { Text } from '#http/large-text'
import { createTimeSlice } from '#memory/time-slice'
import type { WorkspaceRow } from '#storage/workspaces'
import { defineWorkerTask, formatPool } from '#workers/worker-pool'
import { formatRows } from './formats/formats.ts'
import type { QueryOptions } from './options.ts'
import type { CompiledApi, PlannedQuery } from './plan/compile.ts'
import { makeStatistics } from './plan/results.ts'
import { type PageContext, writePage } from './write-page.ts'

export interface FormattedReply {
  body: Text | Uint8Array
  headers: Readonly<Record<string, string>>
}

/** The query that the results belong to. */
export interface ResultsSource {
  workspace: WorkspaceRow
  api: Pick<CompiledApi, 'name' | 'hidden'>
  planned: PlannedQuery
  /** Without a slash at the end. */
  baseUrl: string
  /** Makes a signal that ends the work. */
  makeSignal(): AbortSignal
}

/** A page up to this size is written at once. Others are written in a thread, because a cell takes a microsecond. */
const smallItems = 25
const smallCharacters = 64 * 1024

const writeEncodedPage = defineWorkerTask<typeof import('./write-page.ts'), 'writeEncodedPage'>(
  '#query/write-page',
  'writeEncodedPage',
)

/** Throws Problem `bad-option` if the format cannot hold the results, and `reply-too-large`. */
export const writeFormattedReply = async (
  format: Exclude<Format, 'json'>,
  reply: Reply,
  options: QueryOptions,
  withStatistics: boolean,
  source: ResultsSource,
): Promise<FormattedReply> => {
  const { type, extension } = formatRows[format]
  const statistics = withStatistics ? makeStatistics(reply) : undefined
  const context = { ...makeContext(options, source), statistics }
  const body = isSmall(reply)
    ? await writePage({ format, reply, options, context })
    : await writeInThread({ format, reply, options, context }, source)
  return { body, headers: { 'content-type': type, ...(extension && attachmentHeader(source, extension)) } }
}

const isSmall = ({ hits, facet }: Reply): boolean => {
  const texts = facet ? facet.options.map(({ value }) => value) : hits.map(({ entity }) => entity)
  return texts.length <= smallItems && texts.reduce((sum, { length }) => sum + length, 0) <= smallCharacters
}

/** Moves the documents as bytes: a copy of long strings would stop this thread. */
const writeInThread = async (
  { reply, ...page }: Parameters<typeof writePage>[0],
  { workspace, makeSignal }: ResultsSource,
): Promise<Uint8Array> => {
  const encoder = new TextEncoder()
  const waitForOthers = createTimeSlice()
  const entities: Uint8Array<ArrayBuffer>[] = []
  for (const { entity } of reply.hits) {
    entities.push(encoder.encode(entity))
    await waitForOthers()
  }
  const hits = reply.hits.map(hit => ({ ...hit, entity: '' }))
  const input = { ...page, reply: { ...reply, hits }, entities }
  const transfer = entities.map(({ buffer }) => buffer)
  const signal = makeSignal()
  try {
    return await formatPool.run(workspace.id, writeEncodedPage, input, { transfer, signal })
  } catch (error) {
    if (signal.aborted) throw new Problem('unavailable', 'nobody waits for these results any more')
    throw error
  }
}

/** Makes the browser save a file. Names of workspaces and APIs need no escaping. */
const attachmentHeader = ({ workspace, api }: ResultsSource, extension: string) => ({
  'content-disposition': `attachment; filename="${workspace.slug}-${api.name}.${extension}"`,
})

const makeContext = (
  options: QueryOptions,
  { workspace, api, planned, baseUrl }: ResultsSource,
): Omit<PageContext, 'statistics'> => {
  const { collection, facet } = planned
  const declared = Object.entries(workspace.definition.collections ?? {}).find(
    ([name]) => name === collection,
  )
  const hidden = api.hidden?.fields.get(collection)
  const address = `${baseUrl}/${contractVersion}/${workspace.slug}`
  const vocabulary = `${address}/collections/${collection}#`
  return {
    offset: options.offset,
    count: options.count,
    fields: new Map(
      facet
        ? []
        : Object.entries(
            expandFields(
              Object.fromEntries(
                Object.entries(declared?.[1].fields ?? {}).filter(([name]) => !hidden?.has(name)),
              ),
            ),
          ),
    ),
    language: declared?.[1].language,
    attributes: options.attributes,
    vocabulary,
    idBase: facet ? `${address}/api/${api.name}/options/${facet.name}#` : vocabulary,
  }
}
