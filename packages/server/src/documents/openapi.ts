/**
 * The documents API in OpenAPI 3.1. By hand besides the options: bodies are streams of JSON, NDJSON, CSV or TSV, which no schema of Fastify
 * reads, so there are no schemas that `@fastify/swagger` could describe.
 */
import { documentsPath, importPath } from '@querent/contract/paths'
import { json, type OperationDescription, operation, type Parameter, schemaReference } from '#http/openapi'
import { importName } from './address.ts'
import { listOptions } from './list-options.ts'
import { encodings } from './text-encoding.ts'

const text = { type: 'string' }
const path = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: text,
})
const option = (name: string, description: string, schema: Parameter['schema']): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema,
})
const booleanOption = (name: string, description: string, defaultValue = false): Parameter =>
  option(name, description, { type: 'boolean', default: defaultValue })
const collection = [path('workspace', 'Name of the workspace'), path('collection', 'Name of the collection')]
const document = { type: 'object', additionalProperties: true }
const wait = booleanOption('wait', 'Reply when the change is searchable; otherwise when it is durable', true)

const header = (name: string, description: string): Parameter => ({
  name,
  in: 'header',
  required: false,
  description,
  schema: { type: 'string', pattern: '^(\\*|(W/)?"[^"]*"(, ?(W/)?"[^"]*")*)$' },
})
const ifMatch = header(
  'If-Match',
  'ETag of the document as you read it: 412 if it has changed or was deleted',
)
const ifNoneMatch = header('If-None-Match', '*: 412 if the document exists')

const describeOperation = (
  operationId: string,
  summary: string,
  description: string,
  details: Partial<OperationDescription> & Pick<OperationDescription, 'content'>,
) =>
  operation({
    operationId,
    summary,
    description,
    tags: ['Documents'],
    ...details,
    parameters: [...collection, ...(details.parameters ?? [])],
  })

/** Paths of the documents API, for the OpenAPI document of the service. */
export const documentPaths = () => {
  // The path builders encode braces.
  const collectionPath = decodeURIComponent(documentsPath('{workspace}', '{collection}'))
  const progressPath = decodeURIComponent(importPath('{workspace}', '{collection}', '{import}'))
  return {
    [collectionPath]: {
      post: describeImport(),
      get: describeList(),
      delete: describeDeletion(),
    },
    [progressPath]: {
      get: describeOperation(
        'getImportProgress',
        'Progress of an import',
        'Progress of an import of the same account.',
        {
          parameters: [path('import', 'Name of the import, from `?import=`')],
          content: json('ImportProgress'),
        },
      ),
    },
    [`${collectionPath}/{id}`]: describeDocument(),
  }
}

const importOptions: readonly Parameter[] = [
  wait,
  booleanOption('strict', 'All or nothing: one bad document rejects the whole import'),
  booleanOption('replace', 'The documents become the whole collection'),
  booleanOption('stage', 'With replace: build the new generation without promoting it'),
  booleanOption(
    'update',
    'Each document changes the stored one with its id: members merge (RFC 7396), `null` removes, lists replace',
  ),
  booleanOption('create', 'With update: a document with an unknown id is created, not rejected'),
  option('import', 'Name under which you can ask for the progress', {
    type: 'string',
    pattern: importName.test.source,
  }),
  option('delimiter', 'Delimiter of csv; detected from the header line by default', {
    type: 'string',
    enum: [',', ';', '\t'],
    // Generators cannot make names of these characters.
    'x-enum-varnames': ['Comma', 'Semicolon', 'Tab'],
  }),
  option('encoding', 'Encoding of csv; detected from the bytes by default', {
    type: 'string',
    enum: encodings,
  }),
  option(
    'rows',
    'Path of the list of documents inside a JSON object, such as `data.items`; the longest list of objects by default',
    { type: 'string', minLength: 1, maxLength: 1000 },
  ),
]

const describeImport = () =>
  describeOperation(
    'importDocuments',
    'Import documents',
    'Adds documents. A document with the same id is replaced.',
    {
      parameters: importOptions,
      body: {
        'application/x-ndjson': { type: 'string', description: 'One JSON object per line' },
        'application/json': { type: 'array', items: document },
        'text/csv': { type: 'string', description: 'With a header line' },
        'text/tab-separated-values': { type: 'string', description: 'With a header line' },
      },
      content: {
        'application/json': { anyOf: [schemaReference('ImportReply'), schemaReference('UpdateReply')] },
      },
    },
  )

const listParameters = Object.entries(listOptions).map(([name, { description, schema }]) =>
  option(name, description, schema),
)

const listReply = {
  type: 'object',
  required: ['items', 'next', 'total'],
  properties: {
    items: { type: 'array', items: document },
    next: { type: ['string', 'null'] },
    total: { type: 'integer', description: 'Number of documents on all pages' },
    values: {
      type: 'array',
      items: {
        type: 'object',
        required: ['value', 'documents'],
        properties: { value: text, documents: { type: 'integer' } },
      },
    },
  },
}

const describeList = () =>
  describeOperation(
    'listDocuments',
    'List documents',
    'Documents in order of id. With conditions ?field=value, only those that meet all of them.',
    {
      parameters: listParameters,
      content: {
        'application/x-ndjson': { type: 'string', description: 'One JSON object per line' },
        'application/json': listReply,
      },
    },
  )

const describeDeletion = () =>
  describeOperation(
    'deleteDocuments',
    'Delete documents',
    'Deletes the documents that match all conditions: ?field=value. Several values of a field are alternatives; ?field.from= and ?field.to= are a range of numbers or dates. A field with the whole name comes first.',
    {
      parameters: [booleanOption('dryRun', 'Only count them')],
      content: {
        'application/json': {
          type: 'object',
          required: ['deleted'],
          properties: { deleted: { type: 'integer' } },
        },
      },
    },
  )

/** The operations of one document. */
const describeDocument = () => {
  const id = path('id', 'Id of the document, short or a URI')
  const changeParameters = [id, wait, ifMatch, ifNoneMatch]
  return {
    get: describeOperation('getDocument', 'Get a document', 'The document as it was put.', {
      parameters: [id],
      content: { 'application/json': document },
    }),
    put: describeOperation('putDocument', 'Put a document', 'Adds or replaces one document.', {
      parameters: changeParameters,
      body: { 'application/json': document },
      content: { 'application/json': { type: 'object' } },
    }),
    patch: describeOperation(
      'patchDocument',
      'Change a document',
      'Merges members into one document (RFC 7396): `null` removes a member, objects merge, lists replace. 404 if it does not exist. Callers who may not read documents get only its id.',
      {
        parameters: changeParameters,
        body: { 'application/merge-patch+json': document },
        content: { 'application/json': document },
      },
    ),
    delete: describeOperation(
      'deleteDocument',
      'Delete a document',
      'Deletes one document. It is no error if it does not exist.',
      { parameters: changeParameters, content: {} },
    ),
  }
}
