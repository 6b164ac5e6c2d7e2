/** Writes a page of results in one of the formats, here or in a thread. */

import type { Format } from '@querent/contract/query-options'
import type { Reply } from '#engines/engine'
import { replyBytesMax, replyTooLarge } from '#http/reply-size'
import { formatRows } from '#query/formats/formats'
import type { Page } from '#query/formats/page'
import { pageItems } from '#query/plan/results'
import type { QueryOptions } from './options.ts'

/** Everything of a page except its items. */
export type PageContext = Omit<Page, 'items'>

interface PageInput {
  format: Exclude<Format, 'json'>
  reply: Reply
  options: QueryOptions
  context: PageContext
}

export const writePage = async ({ format, reply, options, context }: PageInput): Promise<string | Buffer> => {
  const write = await formatRows[format].writer()
  return write({ ...context, items: pageItems(reply, options) })
}

/** The same for {@link formatPool}: `entities` are the texts of the hits in UTF-8. Throws Problem `reply-too-large`. */
export const writeEncodedPage = async ({
  reply,
  entities,
  ...page
}: PageInput & { entities: readonly Uint8Array[] }): Promise<Uint8Array> => {
  const decoder = new TextDecoder()
  const hits = reply.hits.map((hit, index) => ({ ...hit, entity: decoder.decode(entities[index]) }))
  const body = Buffer.from(await writePage({ ...page, reply: { ...reply, hits } }))
  if (body.length > replyBytesMax) throw replyTooLarge()
  return body
}
