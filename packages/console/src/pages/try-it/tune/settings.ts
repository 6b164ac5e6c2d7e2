/** The numbers that rank a query: weights of fields, weights of the parts of a mix, and factors of boosts. */

import { endpointKeyEdit, type WorkspaceEdit, weightEdit } from '@querent/contract/edit-workspace-text'
import type { Endpoint } from '@querent/contract/endpoints'
import type { StackedEndpoint } from '@querent/contract/paths'
import type { PreviewChanges } from '@querent/contract/preview-changes'
import type { WorkspaceFile } from '@querent/contract/workspace-file'
import { titleField } from '#ui/copied-field.ts'

export interface RankingSetting {
  /** Stays the same when the value changes. */
  key: string
  /** The collection or endpoint of the setting. */
  group: { kind: 'collection' | 'boost' | 'mix'; name: string }
  label: string
  /** Text behind the number, such as `d` for days. */
  unit: string
  value: number
  min: number
  max: number
  step: number
  change: (value: number) => { weights: [collection: string, field: string, weight: number] } | EndpointChange
}

interface EndpointChange {
  endpoint: string
  /** Key of the endpoint with its new value. */
  key: string
  value: unknown
}

type Endpoints = Readonly<Record<string, Endpoint>>

/** Lists the settings of the endpoints of a query, of the parts of a mix in it, and of the boosts that always apply. */
export const listSettings = (
  file: WorkspaceFile,
  api: string,
  stack: readonly StackedEndpoint[],
): RankingSetting[] => {
  const endpoints = file.apis?.[api]?.endpoints ?? {}
  const names = stack.map(({ endpoint }) => endpoint).filter(name => Object.hasOwn(endpoints, name))
  const parts = names.flatMap(name => {
    const endpoint = endpoints[name]
    return endpoint?.kind === 'mix' ? Object.keys(endpoint.of) : []
  })
  const boosts = [...names, ...parts].flatMap(name => {
    const endpoint = endpoints[name]
    return (endpoint && 'boosts' in endpoint && endpoint.boosts) || []
  })
  const settings = [...new Set([...names, ...parts, ...boosts])].flatMap(name =>
    listEndpoint(file, endpoints, name),
  )
  // Two endpoints may search the same field.
  return [...new Map(settings.map(setting => [setting.key, setting])).values()]
}

/** Whether a search of the query ranks documents by their words, typos and exact text before weights count. */
export const ranksInSteps = (
  file: WorkspaceFile,
  api: string,
  stack: readonly StackedEndpoint[],
): boolean => {
  const endpoints = file.apis?.[api]?.endpoints ?? {}
  const searches = stack.flatMap(({ endpoint }) => {
    const search = Object.hasOwn(endpoints, endpoint) ? endpoints[endpoint] : undefined
    return search?.kind === 'match' ? [search] : []
  })
  return searches.some(({ prefix, typos, exact }) => prefix || typos || exact)
}

const listEndpoint = (file: WorkspaceFile, endpoints: Endpoints, name: string): RankingSetting[] => {
  const endpoint = endpoints[name]
  if (endpoint?.kind === 'match' || endpoint?.kind === 'similar')
    return listWeights(file, endpoint.collection, endpoint.fields)
  if (endpoint?.kind === 'boost') return listBoost(name, endpoint)
  return endpoint?.kind === 'mix' ? listParts(name, endpoint, part => endpoints[part]?.title ?? part) : []
}

const weightRange = (value: number) => ({ min: 0.1, max: Math.max(10, value * 2), step: 0.1 })

const listWeights = (file: WorkspaceFile, collection: string, searched?: string[]): RankingSetting[] =>
  Object.entries(file.collections?.[collection]?.fields ?? {}).flatMap(([name, field]) => {
    if (field.type !== 'text' || (searched && !searched.includes(name))) return []
    const value = field.weight ?? 1
    return [
      {
        key: `weight ${collection} ${name}`,
        group: { kind: 'collection', name: collection },
        label: titleField(name, field, file.collections?.[collection]?.fields),
        unit: '',
        value,
        ...weightRange(value),
        change: weight => ({ weights: [collection, name, weight] }),
      },
    ]
  })

const listBoost = (name: string, endpoint: Endpoint & { kind: 'boost' }): RankingSetting[] => {
  const { by, halfLife, halfDistance } = endpoint
  const keys = [
    { key: 'by', text: typeof by === 'number' ? String(by) : undefined },
    { key: 'halfLife', text: halfLife },
    { key: 'halfDistance', text: halfDistance },
  ]
  return keys.flatMap(({ key, text }) => {
    const [, number, unit = ''] = /^([\d.]+)(\D*)$/.exec(text ?? '') ?? []
    if (number === undefined) return []
    const value = Number(number)
    const range = key === 'by' ? weightRange(value) : { min: 1, max: Math.max(100, value * 4), step: 1 }
    return [
      {
        key: `boost ${name} ${key}`,
        group: { kind: 'boost', name },
        label: key,
        unit,
        value,
        ...range,
        change: next => ({ endpoint: name, key, value: unit === '' ? next : `${next}${unit}` }),
      },
    ]
  })
}

const listParts = (
  name: string,
  endpoint: Endpoint & { kind: 'mix' },
  titles: (part: string) => string,
): RankingSetting[] =>
  Object.entries(endpoint.of).map(([part, value]) => ({
    key: `mix ${name} ${part}`,
    group: { kind: 'mix', name },
    label: titles(part),
    unit: '',
    value,
    ...weightRange(value),
    change: weight => ({ endpoint: name, key: 'of', value: { [part]: weight } }),
  }))

/** The values that a person has moved, by key of the setting. */
export type MovedValues = Readonly<Record<string, number>>

const listMoved = (settings: readonly RankingSetting[], moved: MovedValues) =>
  settings.flatMap(setting => {
    const value = moved[setting.key]
    return value === undefined || value === setting.value ? [] : [{ setting, value }]
  })

/** Returns the changes for a preview; undefined if nothing is moved or added. `file` has the edits of added boosts already. */
export const makeChanges = (
  file: WorkspaceFile,
  api: string,
  settings: readonly RankingSetting[],
  moved: MovedValues,
  boostEdits: readonly WorkspaceEdit[] = [],
): PreviewChanges | undefined => {
  const weights: Record<string, Record<string, number>> = {}
  const endpoints = findEdited(file, api, boostEdits)
  const changes = listMoved(settings, moved)
  for (const { setting, value } of changes) {
    const change = setting.change(value)
    if ('weights' in change) {
      const [collection, field, weight] = change.weights
      weights[collection] = { ...weights[collection], [field]: weight }
      continue
    }
    const current = endpoints[change.endpoint] ?? file.apis?.[api]?.endpoints?.[change.endpoint]
    if (current) endpoints[change.endpoint] = changeEndpoint(current, change)
  }
  return changes.length + boostEdits.length === 0 ? undefined : { weights, endpoints }
}

/** Returns the endpoints that the edits change, as the file has them. */
const findEdited = (
  file: WorkspaceFile,
  api: string,
  edits: readonly WorkspaceEdit[],
): Record<string, Endpoint> => {
  const endpoints = file.apis?.[api]?.endpoints ?? {}
  return Object.fromEntries(
    edits.flatMap(({ path: [, , , name] }) => {
      const endpoint = endpoints[String(name)]
      return endpoint ? [[String(name), endpoint]] : []
    }),
  )
}

const changeEndpoint = (endpoint: Endpoint, { key, value }: EndpointChange): Endpoint =>
  endpoint.kind === 'mix'
    ? { ...endpoint, of: { ...endpoint.of, ...(value as Record<string, number>) } }
    : // The key is one of the endpoint's own, with a value of its type.
      ({ ...endpoint, [key]: value } as Endpoint)

/** Returns the edits that save the moved values. */
export const makeEdits = (
  file: WorkspaceFile,
  api: string,
  settings: readonly RankingSetting[],
  moved: MovedValues,
): WorkspaceEdit[] => {
  const { endpoints = {} } = makeChanges(file, api, settings, moved) ?? {}
  const weightEdits = listMoved(settings, moved).flatMap(({ setting, value }) => {
    const change = setting.change(value)
    return 'weights' in change ? [weightEdit(...change.weights)] : []
  })
  const keyEdits = Object.entries(endpoints).flatMap(([name, endpoint]) => {
    const current = file.apis?.[api]?.endpoints?.[name] ?? {}
    return Object.entries(endpoint)
      .filter(([key, value]) => value !== Object.entries(current).find(([other]) => other === key)?.[1])
      .map(([key, value]) => endpointKeyEdit(api, name, key, value))
  })
  return [...weightEdits, ...keyEdits]
}
