/** Finds mistakes in relevance tests that the schema cannot express. */
import { scoringKinds } from './combination-faults.ts'
import { describeFault, type FaultText } from './fault-texts.ts'
import { describeUnknown, entry } from './name-faults.ts'
import type { WorkspaceFile } from './workspace-file.ts'

/** A relevance test needs one endpoint of this name that scores: in the API that it names, or in a single one. */
export const describeTestFault = (
  { apis = {} }: WorkspaceFile,
  names: readonly string[],
  endpoint: string,
): FaultText | undefined => {
  const scoring = names.flatMap(api =>
    Object.entries(entry(apis, api)?.endpoints ?? {})
      .filter(([, { kind }]) => kind === 'mix' || scoringKinds.includes(kind))
      .map(([name]) => ({ api, name })),
  )
  const matching = scoring.filter(({ name }) => name === endpoint)
  if (matching.length === 0)
    return describeUnknown('unknown-ranking-endpoint', endpoint, [
      ...new Set(scoring.map(({ name }) => name)),
    ])
  if (matching.length === 1) return undefined
  return describeFault('ambiguous-endpoint', {
    found: endpoint,
    names: matching.map(({ api }) => api).join(', '),
  })
}
