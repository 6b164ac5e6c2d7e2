/** A page of the reference from an OpenAPI document. */
import { code, table } from './markdown.ts'
import { describeType, type JsonSchema, listProperties } from './schema-text.ts'

type Content = Record<string, { schema?: JsonSchema }>

interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema: JsonSchema
}

interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security?: unknown[]
  parameters?: (Parameter | { $ref: string })[]
  requestBody?: { content: Content }
  responses: Record<string, Response | { $ref: string }>
}

interface Response {
  description: string
  content?: Content
}

/** The parts of OpenAPI 3.1 that our documents have. */
export interface OpenApiDocument {
  info: { description: string }
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components: Record<string, Record<string, unknown>>
}

const resolve = <T>(document: OpenApiDocument, value: T | { $ref: string }): T => {
  if (typeof value !== 'object' || value === null || !('$ref' in value)) return value as T
  const [, , kind = '', name = ''] = value.$ref.split('/')
  // References of our documents have this form, and lead to a component of this kind.
  return document.components[kind]?.[name] as T
}

const schemaLink = (name: string): string => `[${name}](#schema-${name.toLowerCase()})`

const propertiesTable = (schema: JsonSchema): string => {
  const rows = listProperties(schema)
  if (rows.length === 0) return ''
  return table(
    ['name', 'type', 'required', 'meaning'],
    rows.map(row => [
      code(row.path),
      describeType(row.schema, schemaLink),
      row.required ? 'yes' : '',
      row.schema.description ?? '',
    ]),
  )
}

const writeContent = (title: string, content: Content): string => {
  const types = Object.keys(content).map(code).join(', ')
  const schemas = new Map(
    Object.values(content).flatMap(({ schema }) =>
      schema ? [[JSON.stringify(schema), schema] as const] : [],
    ),
  )
  const [only] = schemas.values()
  if (only === undefined || schemas.size > 1) return `**${title}** (${types})\n`
  const properties = propertiesTable(only)
  const type = properties === '' ? `: ${describeType(only, schemaLink)}` : ''
  return `**${title}** (${types})${type}\n${properties && `\n${properties}`}`
}

const writeOperation = (
  document: OpenApiDocument,
  method: string,
  path: string,
  operation: Operation,
): string => {
  const parameters = (operation.parameters ?? []).map(parameter => resolve<Parameter>(document, parameter))
  const replies = Object.entries(operation.responses)
    .filter(([status]) => /^2/.test(status))
    .map(([status, response]) => {
      const { content } = resolve<Response>(document, response)
      return content ? writeContent(`Reply ${status}`, content) : `**Reply ${status}**, without a body\n`
    })
  return [
    `### ${operation.operationId}\n`,
    `${operation.summary}\n`,
    `\`\`\`http\n${method.toUpperCase()} ${path}\n\`\`\`\n`,
    operation.description ? `${operation.description}\n` : '',
    parameters.length === 0
      ? ''
      : table(
          ['parameter', 'in', 'type', 'required', 'meaning'],
          parameters.map(parameter => [
            code(parameter.name),
            parameter.in,
            describeType(resolve<JsonSchema>(document, parameter.schema), schemaLink),
            parameter.required ? 'yes' : '',
            parameter.description ?? parameter.schema.description ?? '',
          ]),
        ),
    operation.requestBody ? writeContent('Body', operation.requestBody.content) : '',
    ...replies,
  ]
    .filter(part => part !== '')
    .join('\n')
}

/** Writes a section for each operation, by tag, then one for each schema that they name. */
export const writeOpenApiPage = (document: OpenApiDocument, title: string, introduction: string): string => {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const groups = document.tags.map(tag =>
    [
      `## ${tag.name}\n`,
      tag.description ? `${tag.description}.\n` : '',
      ...operations
        .filter(({ operation }) => operation.tags.includes(tag.name))
        .map(({ method, path, operation }) => writeOperation(document, method, path, operation)),
    ].join('\n'),
  )
  const schemas = Object.entries((document.components.schemas ?? {}) as Record<string, JsonSchema>).map(
    ([name, schema]) =>
      `### Schema ${name}\n\n${schema.description ? `${schema.description}.\n\n` : ''}${propertiesTable(schema) || `${describeType(schema, schemaLink)}\n`}`,
  )
  return [`# ${title}\n`, `${introduction}\n`, ...groups, '## Schemas\n', ...schemas].join('\n')
}
