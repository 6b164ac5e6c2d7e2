/** Describes an API with too many endpoints by paths that have their names as parameters, as in the document of the service. */
import type { Tag } from '#http/openapi'
import type { CompiledApi } from '#query/plan/compile'
import { anyReplySchemas, anySchemas } from './collection-schemas.ts'
import type { DescribedStacks } from './described-stacks.ts'
import { allRequests, optionsOperation, queryReplies } from './operations.ts'
import { createParameterComponents, inPath } from './parameters.ts'

const queriesTag: Tag = { name: 'Queries', description: 'Results, counts and options of facets' }

export const describeAnyStack = ({ endpoints }: CompiledApi): DescribedStacks => {
  const { refer, referToFacet, components, schemas } = createParameterComponents(name => name)
  const text = { type: 'string' }
  const names = (values: Iterable<string>) => ({ ...text, enum: [...new Set(values)] })
  const facets = endpoints.filter(({ kind }) => kind === 'facet').map(({ name }) => name)
  const endpoint = refer(inPath('endpoint', 'Name of an endpoint', names(endpoints.map(({ name }) => name))))
  const parameterNames = endpoints.flatMap(({ parameters }) => parameters.map(({ name }) => name))
  const value = [
    refer(inPath('name', 'Name of a parameter of the endpoint', names(parameterNames))),
    refer(inPath('value', 'Its value', text)),
  ]
  const shared = { tag: queriesTag.name, schemas: anyReplySchemas }
  const alone = {
    ...shared,
    path: '/e/{endpoint}',
    names: ['endpoint'],
    parameters: [endpoint],
    subject: 'an endpoint without parameters',
  }
  const withParameter = {
    ...shared,
    path: '/e/{endpoint}/p/{name}/{value}',
    names: ['endpoint', 'parameter'],
    parameters: [endpoint, ...value],
    subject: 'an endpoint with one parameter',
  }
  const noStack = { ...shared, path: '', names: [], parameters: [] }
  const facet = facets.length > 0 ? referToFacet(facets) : undefined
  return {
    description:
      'The paths here have one endpoint with at most one parameter; about (/) lists the parameters of each endpoint.',
    paths: {
      ...allRequests(alone),
      ...allRequests(withParameter),
      ...(facet && {
        ...optionsOperation(noStack, facet),
        ...optionsOperation(alone, facet),
        ...optionsOperation(withParameter, facet),
      }),
    },
    tags: [queriesTag],
    schemas: { ...schemas, ...anySchemas },
    parameters: components,
    responses: queryReplies(anyReplySchemas),
  }
}
