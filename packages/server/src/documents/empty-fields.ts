/** Finds declared fields that no document has: mistyped names, and paths that lead nowhere (workspace-file.md, Nested objects). */
import type { Collection } from '@querent/contract/workspace-file'
import { LRUCache } from 'lru-cache'
import type { Engine } from '#engines/engine'
import { planConditions } from './find-documents.ts'

const generationsMax = 1000
/** Fields that are looked at after an import. */
const fieldsMax = 100
const deadlineMs = 1000

export interface EmptyFields {
  /** Returns the fields that can be searched and that no document of the generation has. At most 100 fields without a value are looked at. */
  find(generation: string, collection: Collection): Promise<string[]>
}

/** Remembers the fields that a document had, so that later imports ask for the others only. */
export const createEmptyFields = (engine: Pick<Engine, 'search'>): EmptyFields => {
  const fieldsWithValues = new LRUCache<string, Set<string>>({ max: generationsMax })
  const hasValue = async (generation: string, field: string) => {
    const plan = planConditions([{ kind: 'present', field, not: false }])
    return (await engine.search(generation, plan, deadlineMs)).total > 0
  }
  return {
    async find(generation, { fields = {} }) {
      const foundFields = fieldsWithValues.get(generation) ?? new Set<string>()
      fieldsWithValues.set(generation, foundFields)
      const candidates = Object.keys(fields).filter(name => {
        const type = fields[name]?.type
        return type !== 'object' && type !== 'vector' && !foundFields.has(name)
      })
      const empty: string[] = []
      for (const name of candidates.slice(0, fieldsMax))
        if (await hasValue(generation, name)) foundFields.add(name)
        else empty.push(name)
      return empty
    },
  }
}
