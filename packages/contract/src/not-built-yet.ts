/** What the workspace file may say and this version cannot do yet (workspace-file.md: "refused by name"). */
import type { Api, EndpointKind, WorkspaceFile } from './workspace-file.ts'
import type { Path } from './workspace-source.ts'

/** Kinds of endpoints that no engine answers yet. Taken off one by one as the engines learn them. */
export const kindsNotBuiltYet: readonly EndpointKind[] = ['nearest']

/** Something at a place of the file. */
export interface Unbuilt {
  path: Path
  message: string
}

/**
 * What of a checked file is not built yet. `refused`: settings whose silent absence would be unsafe; the file must not be applied.
 * `warnings`: it is kept, and using it is refused by name or has no effect.
 */
export const notBuiltYet = (file: WorkspaceFile): { refused: Unbuilt[]; warnings: Unbuilt[] } => {
  const refused: Unbuilt[] = []
  const refuse = (path: Path, instead: string) =>
    refused.push({ path, message: `not built yet; allowed: ${instead}` })
  if (file.settings?.requireSecondFactor) refuse(['settings', 'requireSecondFactor'], 'false')
  if (file.settings?.allowMetadataClients) refuse(['settings', 'allowMetadataClients'], 'false')
  if (file.identityProvider) refuse(['identityProvider'], 'null')
  const warnings: Unbuilt[] = []
  for (const [name, api] of Object.entries(file.apis ?? {}))
    warnings.push(...apiWarnings(api, ['apis', name]))
  return { refused, warnings }
}

const warning = (path: Path, what: string): Unbuilt => ({ path, message: `${what}: accepted, not built yet` })

const apiWarnings = ({ endpoints = {} }: Api, path: Path): Unbuilt[] =>
  Object.entries(endpoints).flatMap(([name, endpoint]) => {
    const here = [...path, 'endpoints', name]
    if (kindsNotBuiltYet.includes(endpoint.kind))
      return [warning([...here, 'kind'], `endpoints of kind ${endpoint.kind}`)]
    if (endpoint.kind !== 'mix') return []
    return Object.keys(endpoint.of).flatMap(part => {
      const kind = endpoints[part]?.kind
      const isBuilt = kind === undefined || !kindsNotBuiltYet.includes(kind)
      return isBuilt ? [] : [warning([...here, 'of', part], `a mix with endpoints of kind ${kind}`)]
    })
  })
