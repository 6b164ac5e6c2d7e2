/** The APIs of relevance tests that name only an endpoint. */
import { boostableKinds } from './endpoint-traits.ts'
import type { WorkspaceFile } from './workspace-file.ts'

/** Returns the APIs with an endpoint of this name that a relevance test can use. */
export const listTestApis = ({ apis = {} }: WorkspaceFile, endpoint: string): string[] =>
  Object.keys(apis).filter(api => {
    const endpoints = apis[api]?.endpoints ?? {}
    const kind = Object.hasOwn(endpoints, endpoint) ? endpoints[endpoint]?.kind : undefined
    return kind !== undefined && boostableKinds.includes(kind)
  })

/**
 * Returns `edited`, an edit of `original`, in which each test without `api` that the edit makes ambiguous names the API it had. An edit that adds an
 * API or an endpoint thus never fails because of an older test.
 */
export const keepTestApis = (original: WorkspaceFile, edited: WorkspaceFile): WorkspaceFile => {
  if (!Array.isArray(edited.tests)) return edited
  const tests = edited.tests.map(test => {
    if (test.api !== undefined || listTestApis(edited, test.endpoint).length < 2) return test
    const [api, ...others] = listTestApis(original, test.endpoint)
    return api === undefined || others.length > 0 ? test : { ...test, api }
  })
  return tests.some((test, index) => test !== edited.tests?.[index]) ? { ...edited, tests } : edited
}
