/** Clients of the query service. Apart from manage.ts, because most pages send no queries. */
import { type QueryService, queryApi } from '@querent/client'
import type { PreviewChanges } from '@querent/contract/preview-changes'
import { changesHeader, memberHeader, usageHeader } from '@querent/contract/preview-headers'
import { baseUrl } from './addresses.ts'
import { queryToken } from './session.ts'
import { readTitle } from './standard-titles.ts'

interface QueryApiOptions extends Pick<QueryService, 'signal' | 'onHeaders'> {
  /** Adds the row filter of a member, for administrators. */
  as?: string | undefined
  /** Unsaved changes of the definition to query with, for people who may edit it. */
  changes?: PreviewChanges | undefined
  /** The page looks something up, which counts as no search of the person. */
  isLookup?: boolean
}

/** Creates a client of one API for the signed-in person. */
export const createQueryApi = (
  workspace: string,
  api: string,
  { as, changes, isLookup, signal, onHeaders }: QueryApiOptions = {},
) => {
  const headers = {
    ...(as !== undefined && { [memberHeader]: encodeURIComponent(as) }),
    ...(changes && { [changesHeader]: encodeURIComponent(JSON.stringify(changes)) }),
    ...(isLookup && { [usageHeader]: 'none' }),
  }
  const query = queryApi({ baseUrl, token: queryToken, headers, signal, onHeaders }, workspace, api)
  return {
    ...query,
    about: async () => {
      const description = await query.about()
      const endpoints = description.endpoints.map(one => ({ ...one, title: readTitle(one.title) }))
      return { ...description, endpoints }
    },
  }
}
