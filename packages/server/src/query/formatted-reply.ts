/** Writes results in a format other than JSON (query-service.md, Paths: `format`). */
import { contractVersion } from '@querent/contract/paths'
import type { Reply } from '#engines/engine'
import type { WorkspaceRow } from '#storage/workspaces'
import { type Format, formatRows } from './formats/formats.ts'
import type { Page } from './formats/page.ts'
import type { QueryOptions } from './options.ts'
import type { PlannedQuery } from './plan/compile.ts'
import { makeStatistics, pageItems } from './plan/results.ts'

export interface FormattedReply {
  body: string | Buffer
  headers: Readonly<Record<string, string>>
}

/** The query that the results belong to. */
export interface ResultsSource {
  workspace: WorkspaceRow
  /** Name of the API. */
  api: string
  planned: PlannedQuery
  /** Without a slash at the end. */
  baseUrl: string
}

/** Throws Problem `bad-option` if the format cannot hold the results. */
export const writeFormattedReply = async (
  format: Exclude<Format, 'json'>,
  reply: Reply,
  options: QueryOptions,
  withStatistics: boolean,
  source: ResultsSource,
): Promise<FormattedReply> => {
  const { type, extension, writer } = formatRows[format]
  const write = await writer()
  const statistics = withStatistics ? makeStatistics(reply) : undefined
  const body = await write({ ...makePage(reply, options, source), statistics })
  return { body, headers: { 'content-type': type, ...(extension && attachmentHeader(source, extension)) } }
}

/** Makes the browser save a file. Names of workspaces and APIs need no escaping. */
const attachmentHeader = ({ workspace, api }: ResultsSource, extension: string) => ({
  'content-disposition': `attachment; filename="${workspace.slug}-${api}.${extension}"`,
})

const makePage = (
  reply: Reply,
  options: QueryOptions,
  { workspace, api, planned, baseUrl }: ResultsSource,
): Omit<Page, 'statistics'> => {
  const { collection, facet } = planned
  const declared = Object.entries(workspace.definition.collections ?? {}).find(
    ([name]) => name === collection,
  )
  const address = `${baseUrl}/${contractVersion}/${workspace.slug}`
  const vocabulary = `${address}/collections/${collection}#`
  return {
    offset: options.offset,
    count: options.count,
    items: pageItems(reply, options),
    fields: new Map(facet ? [] : Object.entries(declared?.[1].fields ?? {})),
    language: declared?.[1].language,
    attributes: options.attributes,
    vocabulary,
    idBase: facet ? `${address}/api/${api}/options/${facet.name}#` : vocabulary,
  }
}
