/** The documents address in OpenAPI 3.1 (workspace-file.md, Documents). */
import { documentsPath, importPath } from '@querent/contract/paths'
import { json, type OperationDescription, operation, type Parameter } from '#http/openapi'
import { importName } from './address.ts'

const text = { type: 'string' }
const path = (name: string, description: string): Parameter => ({
  name,
  in: 'path',
  required: true,
  description,
  schema: text,
})
const truth = (name: string, description: string, otherwise = false): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type: 'boolean', default: otherwise },
})
const collection = [path('workspace', 'Name of the workspace'), path('collection', 'Name of the collection')]
const document = { type: 'object', additionalProperties: true }
const wait = truth('wait', 'Answer when the change is searchable; else when it is durable', true)

const described = (
  operationId: string,
  summary: string,
  others: Partial<OperationDescription> & Pick<OperationDescription, 'content'>,
) =>
  operation({
    isOpen: false,
    operationId,
    summary,
    ...others,
    parameters: [...collection, ...(others.parameters ?? [])],
  })

/** Its paths, for the document of the service. */
export const documentPaths = () => {
  const id = path('id', 'Id of the document, short or a URI')
  // Braces are encoded by it.
  const all = decodeURIComponent(documentsPath('{workspace}', '{collection}'))
  const underway = decodeURIComponent(importPath('{workspace}', '{collection}', '{import}'))
  return {
    [all]: {
      post: described('importDocuments', 'Adds documents; one with the same id is replaced', {
        parameters: [
          wait,
          truth('strict', 'One bad document: none is kept'),
          truth('replace', 'The documents become the whole collection'),
          truth('stage', 'With replace: the new generation does not answer yet'),
          {
            name: 'import',
            in: 'query',
            required: false,
            description: 'A name to ask for its progress by',
            schema: { type: 'string', pattern: importName.test.source },
          },
          {
            name: 'delimiter',
            in: 'query',
            required: false,
            description: 'Between the columns of csv; by default as the header line has it',
            schema: { type: 'string', enum: [',', ';', '\t'] },
          },
        ],
        body: {
          'application/x-ndjson': { type: 'string', description: 'One JSON object in each line' },
          'application/json': { type: 'array', items: document },
          'text/csv': { type: 'string', description: 'With a header line' },
        },
        content: json('ImportReply'),
      }),
      get: described('listDocuments', 'Documents in order of id', {
        parameters: [
          {
            name: 'count',
            in: 'query',
            required: false,
            description: 'Documents on the page',
            schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
          },
          {
            name: 'after',
            in: 'query',
            required: false,
            description: 'The `next` of the page before',
            schema: { type: 'string', minLength: 1 },
          },
          {
            name: 'format',
            in: 'query',
            required: false,
            description: 'ndjson: all documents, one in each line, without `count`',
            schema: { type: 'string', enum: ['json', 'ndjson'], default: 'json' },
          },
        ],
        content: {
          'application/x-ndjson': { type: 'string', description: 'One JSON object in each line' },
          'application/json': {
            type: 'object',
            required: ['items', 'next'],
            properties: { items: { type: 'array', items: document }, next: { type: ['string', 'null'] } },
          },
        },
      }),
      delete: described('deleteDocuments', 'Deletes the documents that match all conditions: ?field=value', {
        parameters: [truth('dryRun', 'Only count them')],
        content: {
          'application/json': {
            type: 'object',
            required: ['deleted'],
            properties: { deleted: { type: 'integer' } },
          },
        },
      }),
    },
    [underway]: {
      get: described('getImportProgress', 'How far an import of the same account is', {
        parameters: [path('import', 'The name that it was given, by `?import=`')],
        content: json('ImportProgress'),
      }),
    },
    [`${all}/{id}`]: {
      get: described('getDocument', 'One document', {
        parameters: [id],
        content: { 'application/json': document },
      }),
      put: described('putDocument', 'Adds or replaces one document', {
        parameters: [id, wait],
        body: { 'application/json': document },
        content: { 'application/json': { type: 'object' } },
      }),
      delete: described('deleteDocument', 'Deletes one document, also when it is not there', {
        parameters: [id, wait],
        content: {},
      }),
    },
  }
}
