/** Results in the format that is asked for (query-service.md, Paths: `format`). */
import { contractVersion } from '@querent/contract/paths'
import type { Reply } from '#engines/engine'
import type { WorkspaceRow } from '#storage/workspaces'
import { type Format, formatRows } from './formats/formats.ts'
import type { Page } from './formats/page.ts'
import type { QueryOptions } from './options.ts'
import type { PlannedQuery } from './plan/compile.ts'
import { pageItems, statisticsOf } from './plan/results.ts'

export interface Formatted {
  body: string | Buffer
  headers: Readonly<Record<string, string>>
}

/** What the results are of. */
export interface Origin {
  workspace: WorkspaceRow
  /** Name of the API. */
  api: string
  planned: PlannedQuery
  /** Without a slash at the end. */
  baseUrl: string
}

/** Throws Problem `bad-option` where the format cannot hold the results. */
export const writeFormatted = async (
  format: Exclude<Format, 'json'>,
  found: Reply,
  options: QueryOptions,
  withStatistics: boolean,
  origin: Origin,
): Promise<Formatted> => {
  const { type, extension, writer } = formatRows[format]
  const write = await writer()
  const statistics = withStatistics ? statisticsOf(found) : undefined
  const body = await write({ ...pageOf(found, options, origin), statistics })
  return { body, headers: { 'content-type': type, ...(extension && saved(origin, extension)) } }
}

/** Names of workspaces and APIs need no quoting. */
const saved = ({ workspace, api }: Origin, extension: string) => ({
  'content-disposition': `attachment; filename="${workspace.slug}-${api}.${extension}"`,
})

const pageOf = (
  found: Reply,
  options: QueryOptions,
  { workspace, api, planned, baseUrl }: Origin,
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
    items: pageItems(found, options),
    fields: new Map(facet ? [] : Object.entries(declared?.[1].fields ?? {})),
    language: declared?.[1].language,
    attributes: options.attributes,
    vocabulary,
    idBase: facet ? `${address}/api/${api}/options/${facet.name}#` : vocabulary,
  }
}
