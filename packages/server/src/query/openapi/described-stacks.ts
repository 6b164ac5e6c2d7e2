/** Describes each stack of an API by a path of its own, with typed parameters and attributes. */
import { contractSchemas, type DocumentComponents, type Tag } from '#http/openapi'
import { simplifySchemas } from '#http/openapi-schemas'
import type { CompiledApi } from '#query/plan/compile'
import { valueSchemas } from './attribute-schemas.ts'
import {
  anyReplySchemas,
  anySchemas,
  collectionSchemas,
  countedFacetSchemas,
  facetSchemas,
} from './collection-schemas.ts'
import { createUniqueNames } from './names.ts'
import {
  allRequests,
  optionsOperation,
  type Paths,
  queryReplies,
  type StackPath,
  someRequests,
} from './operations.ts'
import { createParameterComponents, optionSchemas } from './parameters.ts'
import {
  endsInFacet,
  endsInSort,
  facetNames,
  hasCounts,
  type StackDescription,
  startCollection,
} from './stacks.ts'

/** The part of an API's document that depends on its endpoints. */
export interface DescribedStacks extends DocumentComponents {
  description: string
  paths: Paths
  tags: Tag[]
}

/** No name of an endpoint contains a blank. */
export const generalTag: Tag = {
  name: 'This API',
  description: 'The API itself, and several queries in one request',
}

/** The stacks of a document: each endpoint alone, and searches with filters and a sort. */
export interface ChosenStacks {
  endpoints: readonly StackDescription[]
  refined: readonly StackDescription[]
}

export const describeStacks = (api: CompiledApi, { endpoints, refined }: ChosenStacks): DescribedStacks => {
  const uniqueName = createUniqueNames(
    Object.keys({
      ...contractSchemas,
      ...optionSchemas(),
      ...anySchemas,
      ...facetSchemas.schemas,
      ...countedFacetSchemas.schemas,
      ...valueSchemas,
    }),
  )
  const searched = api.collections.flatMap(name => api.views.get(name) ?? [])
  const collections = collectionSchemas(searched, uniqueName)
  const parameters = createParameterComponents(uniqueName)
  const toPath = (stack: StackDescription): StackPath => ({
    path: stack.path,
    names: stack.names,
    tag: tagName(stack),
    subject: stack.steps.map(({ name }) => name).join(', '),
    parameters: stack.variables.map(parameters.referToVariable),
    schemas: hasCounts(stack)
      ? countedFacetSchemas.names
      : endsInFacet(stack)
        ? facetSchemas.names
        : (collections.names.get(stack.collection) ?? anyReplySchemas),
  })
  const optionsPaths = (stack: StackDescription, path: StackPath): Paths => {
    const names = endsInFacet(stack) || endsInSort(stack) ? [] : facetNames(api, stack.collection)
    return names.length > 0 ? optionsOperation(path, parameters.referToFacet(names)) : {}
  }
  const paths: Paths = {}
  const first = startFacets(api)
  if (first.length > 0) {
    const noStack = { path: '', names: [], tag: generalTag.name, parameters: [] }
    Object.assign(paths, optionsOperation(noStack, parameters.referToFacet(first)))
  }
  for (const step of api.steps.values()) {
    const [parameter] = step.parameters
    if (step.kind !== 'facet' || parameter === undefined || startCollection(api, step) === undefined) continue
    // The caller chooses the field by a context parameter.
    const field = parameters.referToVariable({ ...parameter, kind: step.kind, variable: parameter.name })
    const path = {
      path: `/c/${parameter.name}/{${parameter.name}}`,
      names: [step.name],
      tag: step.name,
      parameters: [field],
    }
    Object.assign(paths, optionsOperation(path, parameters.referToFacet([step.name])))
  }
  for (const stack of endpoints) {
    const path = toPath(stack)
    Object.assign(paths, allRequests(path), optionsPaths(stack, path))
  }
  for (const stack of refined) {
    const path = toPath(stack)
    Object.assign(paths, someRequests(path), optionsPaths(stack, path))
  }
  const replySchemas = [
    anyReplySchemas,
    facetSchemas.names,
    ...(endpoints.some(hasCounts) ? [countedFacetSchemas.names] : []),
    ...collections.names.values(),
  ]
  return {
    description: 'The paths here have one endpoint each, or a search with filters and a sort.',
    paths,
    tags: describeTags(api, endpoints),
    schemas: simplifySchemas({
      ...parameters.schemas,
      ...anySchemas,
      ...valueSchemas,
      ...facetSchemas.schemas,
      ...(endpoints.some(hasCounts) && countedFacetSchemas.schemas),
      ...collections.schemas,
    }),
    parameters: parameters.components,
    responses: Object.assign({}, ...replySchemas.map(queryReplies)),
  }
}

/** A facet and its filter have one tag. */
const tagName = ({ steps: [first] }: StackDescription): string => first?.filteredFacet ?? first?.name ?? ''

const describeTags = ({ steps }: CompiledApi, endpoints: readonly StackDescription[]): Tag[] => {
  const names = [...new Set(endpoints.map(tagName))]
  return names.map(name => {
    const step = steps.get(name)
    return { name, description: step ? `${step.title} (${step.kind})` : name }
  })
}

/** The facets whose options can be counted over all documents. */
const startFacets = (api: CompiledApi): string[] =>
  [...api.steps.values()].flatMap(step => {
    const collection = startCollection(api, step)
    return collection !== undefined && facetNames(api, collection).includes(step.name) ? [step.name] : []
  })
