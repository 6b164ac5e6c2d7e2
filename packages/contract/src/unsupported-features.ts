/** Finds features in a workspace file that the format has, but this version does not support yet. */
import type { EndpointKind } from './endpoints.ts'
import type { Api, WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** Endpoint kinds that no engine supports yet. */
export const unsupportedKinds: readonly EndpointKind[] = ['nearest']

export interface UnsupportedFeature {
  path: Path
  message: string
}

/**
 * Finds the unsupported features of a checked file. `rejected` are settings that would be unsafe to ignore: the file must not be applied.
 * `warnings` are features that the server stores, but rejects or ignores when they are used.
 */
export const findUnsupportedFeatures = (
  file: WorkspaceFile,
): { rejected: UnsupportedFeature[]; warnings: UnsupportedFeature[] } => {
  const rejected: UnsupportedFeature[] = []
  const reject = (path: Path, allowed: string) =>
    rejected.push({ path, message: `not built yet; allowed: ${allowed}` })
  if (file.identityProvider) reject(['identityProvider'], 'null')
  const warnings: UnsupportedFeature[] = []
  for (const [name, api] of Object.entries(file.apis ?? {}))
    warnings.push(...apiWarnings(api, ['apis', name]))
  return { rejected, warnings }
}

const warning = (path: Path, feature: string): UnsupportedFeature => ({
  path,
  message: `${feature}: accepted, not built yet`,
})

const apiWarnings = ({ endpoints = {} }: Api, path: Path): UnsupportedFeature[] =>
  Object.entries(endpoints).flatMap(([name, endpoint]) => {
    const endpointPath = [...path, 'endpoints', name]
    if (unsupportedKinds.includes(endpoint.kind))
      return [warning([...endpointPath, 'kind'], `endpoints of kind ${endpoint.kind}`)]
    if (endpoint.kind !== 'mix') return []
    return Object.keys(endpoint.of).flatMap(part => {
      const kind = endpoints[part]?.kind
      const isSupported = kind === undefined || !unsupportedKinds.includes(kind)
      return isSupported
        ? []
        : [warning([...endpointPath, 'of', part], `a mix with endpoints of kind ${kind}`)]
    })
  })
