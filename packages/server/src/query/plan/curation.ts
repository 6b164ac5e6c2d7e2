/** Documents that a workspace puts first or last for a text (workspace-file.md, `curation`). */
import type { Api } from '@querent/contract/workspace-file'
import type { PlanNode } from '#engines/engine'
import type { CollectionView } from './collection-view.ts'
import type { Step, Values } from './steps.ts'

interface Curated {
  pin: string[]
  bury: string[]
}

/** Adds to the node of a match endpoint, asked with `values`, what is pinned and buried for its text. Other nodes stay as they are. */
export type Curate = (step: Step, values: Values, collection: CollectionView, node: PlanNode) => PlanNode

/** How texts are compared: without regard to case and to the amount of white space. */
const folded = (text: string): string => text.normalize('NFC').trim().toLowerCase().replace(/\s+/g, ' ')

/** Compiles the entries of an API; several for one text hold together, in their order. An entry whose `when` is empty holds for every text. */
export const compileCuration = ({ curation = [] }: Api): Curate => {
  const byEndpoint = new Map<string, Map<string | undefined, Curated>>()
  for (const { endpoint, when, pin = [], bury = [] } of curation) {
    const byText = byEndpoint.get(endpoint) ?? new Map<string | undefined, Curated>()
    byEndpoint.set(endpoint, byText)
    // The reader of the file lets through the endpoint's own parameter only: there is one.
    const [text] = Object.values(when)
    const key = text === undefined ? undefined : folded(text)
    const known = byText.get(key) ?? { pin: [], bury: [] }
    byText.set(key, { pin: [...known.pin, ...pin], bury: [...known.bury, ...bury] })
  }
  return (step, [text = ''], { ids }, node) => {
    const byText = node.kind === 'match' ? byEndpoint.get(step.name) : undefined
    if (byText === undefined || node.kind !== 'match') return node
    const found = [byText.get(folded(text)), byText.get(undefined)].filter(entry => entry !== undefined)
    if (found.length === 0) return node
    const uris = (of: keyof Curated) =>
      found.flatMap(entry => entry[of].map(ids.toUri)).filter(id => id !== undefined)
    return { ...node, pinned: uris('pin'), buried: uris('bury') }
  }
}
