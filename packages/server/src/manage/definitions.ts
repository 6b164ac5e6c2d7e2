/** Contents of a workspace's definition: APIs, endpoints, collections and fields. */

import type { Endpoint } from '@querent/contract/endpoints'
import { fieldForms } from '@querent/contract/field-forms'
import type { CollectionSummary, EndpointSummary, FieldSummary } from '@querent/contract/manage'
import { rolesAllow } from '@querent/contract/roles'
import { collectionTitle, endpointTitle, fieldTitles, listCollections } from '@querent/contract/titles'
import { valueForm } from '@querent/contract/value-form'
import type { Api, Definition, Field } from '@querent/contract/workspace-file'
import { findRights, seesAllDocuments, unlimitedRights } from '#authz/rights'
import { withoutHiddenFields } from '#authz/without-hidden-fields'
import type { Handler } from './call.ts'

export const definitionHandlers = {
  listApis: async ({ directory }, { workspace, principal }) => {
    const member = await directory.member(workspace.id, principal.subject)
    const rights = member ? findRights(workspace.definition, member) : unlimitedRights
    const { apis: open, collections, hidden } = rights
    const openApis = Object.keys(workspace.definition.apis ?? {})
      .filter(name => open?.has(name) ?? true)
      .map(name => {
        const definition = hidden
          ? withoutHiddenFields(workspace.definition, name, hidden)
          : workspace.definition
        return { name, api: definition.apis?.[name] ?? {}, definition }
      })
    const isOpen = (endpoint: Endpoint) =>
      !('collection' in endpoint && endpoint.collection !== undefined) ||
      (collections?.has(endpoint.collection) ?? true)
    return {
      items: openApis.map(({ name, api, definition }) => ({
        api: name,
        title: api.title ?? name,
        access: api.access ?? 'members',
        endpoints: Object.entries(api.endpoints ?? {})
          .filter(([, endpoint]) => isOpen(endpoint))
          .map(([endpointName, endpoint]) => ({
            name: endpointName,
            kind: endpoint.kind,
            title: endpointTitle(definition, endpoint, endpointName),
            ...describeAttribute(definition, endpoint),
            ...describeForm(definition, api, endpoint),
          })),
        fieldTitles: fieldTitles(definition, api),
        places: listPlaces(definition, api),
        fieldForms: fieldForms(definition, api),
      })),
    }
  },
  listCollections: async ({ collections, directory }, { workspace, principal }) => {
    const member = await directory.member(workspace.id, principal.subject)
    // Members who may see only some of the documents, or none, do not get their number.
    const rights = member ? findRights(workspace.definition, member) : unlimitedRights
    const seesAll = seesAllDocuments(rights)
    const maySeeCounts = seesAll && (!member || rolesAllow(member.roles, 'edit'))
    const mayOpen = createOpenBudget()
    const items: CollectionSummary[] = []
    for (const [collection, declared] of Object.entries(workspace.definition.collections ?? {})) {
      const { id, fields = {} } = declared
      if (rights.collections && !rights.collections.has(collection)) continue
      const generations = maySeeCounts ? await collections.list(workspace, collection, mayOpen) : []
      const promoted = generations.find(({ state }) => state === 'promoted')
      items.push({
        collection,
        title: collectionTitle(declared, collection),
        documents: maySeeCounts ? (promoted?.documents ?? null) : null,
        ...(promoted?.failure && { down: promoted.failure.message }),
        idField: id?.field ?? 'id',
        ...(id?.generate === undefined ? {} : { generatedId: id.generate }),
        fields: Object.entries(fields)
          .filter(([name]) => !rights.hidden?.fields.get(collection)?.has(name))
          .map(([name, field]) => summarizeField(name, field)),
      })
    }
    return { items }
  },
} satisfies { listApis: Handler<'listApis'>; listCollections: Handler<'listCollections'> }

/** Returns the fields of type geo in the collections that the endpoints of an API name. */
const listPlaces = ({ collections = {} }: Definition, api: Api): FieldSummary[] =>
  listCollections(api).flatMap(name =>
    Object.entries((Object.hasOwn(collections, name) ? collections[name]?.fields : undefined) ?? {}).flatMap(
      ([field, declared]) => (declared.type === 'geo' ? [summarizeField(field, declared)] : []),
    ),
  )

/** Returns where documents have the value that a sort compares. */
const describeAttribute = (
  { collections = {} }: Definition,
  endpoint: Endpoint,
): Pick<EndpointSummary, 'attribute'> => {
  if (endpoint.kind !== 'sort') return {}
  const { field } = endpoint
  const fields = Object.values(collections).flatMap(collection => {
    const declared = Object.hasOwn(collection.fields ?? {}, field) ? collection.fields?.[field] : undefined
    return declared ? [summarizeField(field, declared)] : []
  })
  return { attribute: fields[0]?.source ?? field }
}

/** Returns how the values of an endpoint's field are written, if in a form of their own. */
const describeForm = (
  definition: Definition,
  api: Api,
  endpoint: Endpoint,
): Pick<EndpointSummary, 'valueForm'> => {
  if (!('field' in endpoint) || typeof endpoint.field !== 'string') return {}
  const form = valueForm(definition, listCollections(api), endpoint.field)
  return Object.keys(form).length > 0 ? { valueForm: form } : {}
}

const summarizeField = (name: string, field: Field): FieldSummary => {
  const { type, title } = field
  const source = 'source' in field ? field.source : undefined
  return {
    name,
    type,
    ...(title === undefined ? {} : { title }),
    ...(source === undefined || source === name ? {} : { source }),
    ...(field.type === 'geo' && field.from ? { from: field.from } : {}),
    ...(field.type === 'geo' && field.pairs ? { pairs: field.pairs } : {}),
    ...(field.type === 'number' && field.decimal ? { decimal: field.decimal } : {}),
    ...(field.type === 'date' && field.formats ? { formats: field.formats } : {}),
    ...('listSeparator' in field && field.listSeparator ? { listSeparator: field.listSeparator } : {}),
  }
}

/** Opening and closing thousands of collections would take minutes. */
const openedMax = 16

/**
 * Limits how many collections one request opens only to read their statistics: returns true for the first
 * sixteen.
 */
export const createOpenBudget = (): (() => boolean) => {
  let remaining = openedMax
  return () => remaining-- > 0
}
