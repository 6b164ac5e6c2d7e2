import type { WorkspaceFile } from '@querent/contract/workspace-file'

/** An endpoint that ranks by a text. */
export interface TextPlace {
  api: string
  endpoint: string
  /** `{api} {endpoint}` */
  value: string
  label: string
}

/** Endpoints that rank by a text. */
export const listTextPlaces = ({ apis = {} }: WorkspaceFile): TextPlace[] =>
  Object.entries(apis).flatMap(([api, { endpoints = {} }]) =>
    Object.entries(endpoints)
      .filter(([, { kind }]) => kind === 'match' || kind === 'mix')
      .map(([endpoint]) => ({
        api,
        endpoint,
        value: `${api} ${endpoint}`,
        label: labelPlace({ apis }, api, endpoint),
      })),
  )

/** Returns the titles of an API and of its endpoint. One whose title others have too is called by its name as well. */
export const labelPlace = (
  { apis = {} }: Pick<WorkspaceFile, 'apis'>,
  api: string,
  endpoint: string,
): string => {
  const { title: apiTitle = api, endpoints = {} } = apis[api] ?? {}
  const isSharedTitle = Object.values(apis).filter(other => other.title === apiTitle).length > 1
  const title = isSharedTitle ? `${apiTitle} (${api})` : apiTitle
  const label = endpoints[endpoint]?.title ?? endpoint
  const isShared = Object.values(endpoints).filter(other => other.title === label).length > 1
  return `${title} · ${isShared ? `${label} (${endpoint})` : label}`
}

/** Returns the parameter of the text of an endpoint; that of its first part for a mix. Undefined if the endpoint has none. */
export const readTextParameter = (
  file: Pick<WorkspaceFile, 'apis'>,
  api: string,
  endpoint: string,
): string | undefined => {
  const defined = file.apis?.[api]?.endpoints?.[endpoint]
  if (defined?.kind === 'match') return defined.parameter ?? 'query'
  if (defined?.kind !== 'mix') return undefined
  const [part] = Object.keys(defined.of)
  return part === undefined || part === endpoint ? undefined : readTextParameter(file, api, part)
}
