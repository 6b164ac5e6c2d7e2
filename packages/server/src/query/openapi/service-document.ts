/** OpenAPI 3.1 document of the query service (query-service.md, OpenAPI). */
import { contractVersion } from '@querent/contract/paths'
import { openApiDocument } from '#http/openapi'
import type { ServiceUrls } from '#http/origins'
import { anyReplySchemas, anySchemas } from './collection-schemas.ts'
import {
  allRequests,
  apiOperations,
  commonReplies,
  documentOperation,
  optionsOperation,
  type Paths,
  queryReplies,
} from './operations.ts'
import { inPath, optionComponents, optionSchemas } from './parameters.ts'

const text = { type: 'string' }
const tags = [
  { name: 'About', description: 'The service and its APIs' },
  { name: 'Queries', description: 'Results, counts and options of facets' },
  { name: 'Documents', description: 'The documents of a collection' },
]

/** Describes the service without any workspace; open to all. `otherPaths` are those of other parts of the service, with the tag Documents. */
export const serviceOpenApi = (service: ServiceUrls, otherPaths: Paths) => {
  const base = `/${contractVersion}/{workspace}/api/{api}`
  const api = [inPath('workspace', 'Name of the workspace', text), inPath('api', 'Name of the API', text)]
  const endpoint = [...api, inPath('endpoint', 'Name of an endpoint of the API', text)]
  const withParameter = [
    ...endpoint,
    inPath('name', 'Name of a parameter of the endpoint', text),
    inPath('value', 'Its value', text),
  ]
  const facet = inPath('facet', 'Name of an endpoint that is a facet', text)
  const queries = { tag: 'Queries', schemas: anyReplySchemas }
  const alone = { ...queries, path: `${base}/e/{endpoint}`, names: ['endpoint'], parameters: endpoint }
  const paths = {
    [`/${contractVersion}/openapi.json`]: documentOperation('serviceDocument', {
      isOpen: true,
      parameters: [],
      tags: ['About'],
    }),
    ...apiOperations(base, { parameters: api, tags: ['About'] }),
    ...optionsOperation({ ...queries, path: base, names: [], parameters: api }, facet),
    ...optionsOperation(alone, facet),
    ...allRequests({ ...alone, subject: 'an endpoint without parameters' }),
    ...allRequests({
      ...queries,
      path: `${base}/e/{endpoint}/p/{name}/{value}`,
      names: ['endpoint', 'parameter'],
      parameters: withParameter,
      subject: 'an endpoint with one parameter',
    }),
    ...otherPaths,
  }
  const description =
    'You can stack endpoints: repeat /e/{endpoint}[/p/{name}/{value}]* and each one refines the results before it. OpenAPI cannot express this, so the paths here have one endpoint with at most one parameter. The document of an API describes its own endpoints.'
  return openApiDocument(
    service,
    { title: 'Querent query service', description, url: service.baseUrl, isOpen: false, tags },
    paths,
    {
      schemas: { ...optionSchemas(), ...anySchemas },
      parameters: optionComponents,
      responses: { ...commonReplies, ...queryReplies(anyReplySchemas) },
    },
  )
}
