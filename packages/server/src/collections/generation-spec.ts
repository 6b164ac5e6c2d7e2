/** The part of a workspace's definition that an engine needs for a generation of one collection. Pure. */
import { elementLists, expandFields } from '@querent/contract/object-fields'
import type { Collection, Definition } from '@querent/contract/workspace-file'
import type { EngineField, GenerationSpec } from '#engines/engine'
import { readingRules } from './field-values.ts'

/**
 * Returns the fields that an engine needs. Text without a language is not stemmed (`none`). Objects are not searched.
 * A field with `suggest` supports completion before an endpoint uses it, so that adding the endpoint needs no new generation.
 */
export const generationSpec = (definition: Definition, name: string): GenerationSpec => {
  const collection = findCollection(definition, name)
  const completed = completedFields(definition, name)
  const lists = elementLists(collection.fields)
  const fields = Object.entries(expandFields(collection.fields)).flatMap(
    ([field, declared]): EngineField[] => {
      switch (declared.type) {
        case 'object':
          return []
        case 'vector': {
          const { dimensions, metric = 'cosine' } = declared
          return [{ name: field, type: 'vector', dimensions, metric }]
        }
        case 'text': {
          const language = declared.language ?? collection.language ?? 'none'
          return [
            {
              name: field,
              type: 'text',
              language,
              prefix: declared.suggest === true || completed(field),
              ...(declared.codes === true && { codes: true as const }),
            },
          ]
        }
        default:
          return [
            {
              name: field,
              type: declared.type,
              ...(lists.has(field) && { elements: true as const, list: lists.get(field) ?? '' }),
            },
          ]
      }
    },
  )
  const reading = Object.entries(expandFields(collection.fields)).flatMap(([field, declared]) => {
    const rules = readingRules(field, declared, collection.readers)
    return rules === undefined ? [] : [[field, rules] as const]
  })
  return {
    fields,
    ...(reading.length === 0 ? {} : { reading: Object.fromEntries(reading) }),
  }
}

/** Throws if the definition has no such collection. */
export const findCollection = (definition: Definition, name: string): Collection => {
  const collection = Object.entries(definition.collections ?? {}).find(([key]) => key === name)?.[1]
  if (collection === undefined)
    throw new Error(`the workspace "${definition.workspace}" has no collection "${name}"`)
  return collection
}

/** True for the text fields that a match endpoint completes, reads with typos, or searches inside words. They need words as typed in addition to stems. */
const completedFields = (definition: Definition, name: string): ((field: string) => boolean) => {
  const completing = Object.values(definition.apis ?? {})
    .flatMap(({ endpoints }) => Object.values(endpoints ?? {}))
    .flatMap(endpoint => (endpoint.kind === 'match' && endpoint.collection === name ? [endpoint] : []))
    .filter(({ prefix, typos, contains }) => prefix || typos || contains)
  return field => completing.some(({ fields }) => fields === undefined || fields.includes(field))
}
