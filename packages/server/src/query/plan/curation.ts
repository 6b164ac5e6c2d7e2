/** Curation: documents that a workspace pins or buries for a text (workspace-file.md, `curation`). */
import { foldText } from '@querent/contract/curation-text'
import type { Api } from '@querent/contract/workspace-file'
import type { PlanNode } from '#engines/engine'
import type { CollectionView } from './collection-view.ts'
import type { Step, Values } from './step.ts'

interface Curation {
  pin: string[]
  bury: string[]
}

/** Adds pinned and buried documents to the node of a match endpoint, for the text in `values`. Other nodes stay as they are. */
export type Curate = (step: Step, values: Values, collection: CollectionView, node: PlanNode) => PlanNode

/** Compiles the entries of an API. Entries for the same text are joined in their order. An entry with an empty `when` applies to every text. */
export const compileCuration = ({ curation = [] }: Api): Curate => {
  const byEndpoint = new Map<string, Map<string | undefined, Curation>>()
  for (const { endpoint, when, pin = [], bury = [] } of curation) {
    const byText = byEndpoint.get(endpoint) ?? new Map<string | undefined, Curation>()
    byEndpoint.set(endpoint, byText)
    // Validation of the workspace file allows only the endpoint's own parameter, so there is at most one.
    const [text] = Object.values(when)
    const key = text === undefined ? undefined : foldText(text)
    const joined = byText.get(key) ?? { pin: [], bury: [] }
    byText.set(key, joined)
    joined.pin.push(...pin)
    joined.bury.push(...bury)
  }
  return (step, [text = ''], { ids }, node) => {
    const byText = node.kind === 'match' ? byEndpoint.get(step.name) : undefined
    if (byText === undefined || node.kind !== 'match') return node
    const matching = [byText.get(foldText(text)), byText.get(undefined)].filter(entry => entry !== undefined)
    if (matching.length === 0) return node
    const uris = (part: keyof Curation) =>
      matching.flatMap(entry => entry[part].map(ids.toUri)).filter(id => id !== undefined)
    return { ...node, pinned: uris('pin'), buried: uris('bury') }
  }
}
