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
        label: `${api} · ${endpoint}`,
      })),
  )
