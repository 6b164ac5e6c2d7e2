/** What the workspace file may say and this version cannot do yet (workspace-file.md: "refused by name"). */
import type { ErrorPlace } from './errors.ts'
import type { Api, EndpointKind, WorkspaceFile } from './workspace-file.ts'

/** Kinds of endpoints that no engine answers yet. Taken off one by one as the engines learn them. */
export const kindsNotBuiltYet: readonly EndpointKind[] = ['nearest']

/**
 * What of a checked file is not built yet. `refused`: settings whose silent absence would be unsafe; the file must not be applied.
 * `warnings`: sentences that start with the path in the file; it is kept, and using it is refused by name or has no effect.
 */
export const notBuiltYet = (file: WorkspaceFile): { refused: ErrorPlace[]; warnings: string[] } => {
  const refused: ErrorPlace[] = []
  const refuse = (path: string, instead: string) =>
    refused.push({ path, message: `${path} is not built yet; allowed: ${instead}` })
  if (file.settings?.requireSecondFactor) refuse('settings.requireSecondFactor', 'false')
  if (file.settings?.allowMetadataClients) refuse('settings.allowMetadataClients', 'false')
  if (file.identityProvider) refuse('identityProvider', 'null')
  const warnings = [
    ...Object.entries(file.collections ?? {}).flatMap(([name, { fields }]) =>
      Object.entries(fields ?? {})
        .filter(([, field]) => field.type === 'text' && field.suggest)
        .map(([field]) => `collections.${name}.fields.${field}.suggest: suggestions`),
    ),
    ...Object.entries(file.configurations ?? {}).flatMap(([name, configuration]) =>
      Object.entries(configuration)
        .filter(([, generation]) => generation !== 'live')
        .map(
          ([collection, generation]) =>
            `configurations.${name}.${collection}: another generation than the live one ("${generation}")`,
        ),
    ),
    ...Object.entries(file.apis ?? {}).flatMap(([name, api]) => apiWarnings(api, `apis.${name}`)),
  ]
  const logged = file.settings?.queryLog?.parameters
  if (logged === 'hashed' || logged === 'full')
    warnings.push(`settings.queryLog.parameters: logging parameters ("${logged}"; none are kept)`)
  return { refused, warnings: warnings.map(warning => `${warning}: accepted, not built yet`) }
}

const apiWarnings = ({ endpoints = {}, curation }: Api, path: string): string[] => [
  ...Object.entries(endpoints).flatMap(([name, endpoint]) => {
    const here = `${path}.endpoints.${name}`
    if (kindsNotBuiltYet.includes(endpoint.kind)) return [`${here}: endpoints of kind ${endpoint.kind}`]
    if (endpoint.kind !== 'mix') return []
    return Object.keys(endpoint.of).flatMap(part => {
      const kind = endpoints[part]?.kind
      const isBuilt = kind === undefined || !kindsNotBuiltYet.includes(kind)
      return isBuilt ? [] : [`${here}.of.${part}: a mix with endpoints of kind ${kind}`]
    })
  }),
  ...(curation?.length ? [`${path}.curation: curation`] : []),
]
