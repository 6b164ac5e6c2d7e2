/** Names in the OpenAPI documents that code generators turn into names of types and constants. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentPaths } from '#documents/openapi'
import { managementOpenApi } from '#manage/openapi'
import { optionSchemas } from './parameters.ts'
import { serviceOpenApi } from './service-document.ts'

const urls = { baseUrl: 'http://127.0.0.1:4000', authUrl: 'http://127.0.0.1:4001' }
// As it is served.
const documents: Record<string, unknown> = JSON.parse(
  JSON.stringify({
    service: serviceOpenApi(urls, documentPaths()),
    management: managementOpenApi(urls.authUrl),
    api: { components: { schemas: optionSchemas(['default']) } },
  }),
)

/** Types of the runtimes that OpenAPI Generator, openapi-python-client and orval put beside the generated ones. */
const runtimeNames = [
  ...[
    'ApiClient',
    'ApiException',
    'ApiResponse',
    'ApiError',
    'ApiKeyAuth',
    'BaseAPI',
    'Client',
    'Configuration',
  ],
  ...['AuthenticatedClient', 'Context', 'JSON', 'Pair', 'Response', 'Request', 'ServerConfiguration'],
  ...['Object', 'List', 'Map', 'String', 'Date', 'File', 'Error', 'Exception', 'Array', 'Number', 'Boolean'],
]

const visit = (value: unknown, see: (part: Record<string, unknown>) => void): void => {
  if (typeof value !== 'object' || value === null) return
  // Values of JSON.
  see(value as Record<string, unknown>)
  for (const part of Object.values(value)) visit(part, see)
}

for (const [name, document] of Object.entries(documents)) {
  test(`no schema of the ${name} document has the name of a generator's own type`, () => {
    // The shape of an OpenAPI document.
    const { schemas } = (document as { components: { schemas: object } }).components
    const clashes = Object.keys(schemas).filter(schema => runtimeNames.includes(schema))
    assert.deepEqual(clashes, [])
  })

  test(`every choice of the ${name} document has a name, if its characters make none`, () => {
    visit(document, part => {
      const values = Array.isArray(part.enum) ? part.enum : []
      if (values.every(value => value === null || /[A-Za-z0-9]/.test(String(value)))) return
      const names = part['x-enum-varnames']
      assert.ok(Array.isArray(names) && names.length === values.length, JSON.stringify(part))
      for (const constant of names) assert.match(String(constant), /^[A-Z][A-Za-z]*$/)
    })
  })

  test(`no schema of the ${name} document has the name of another one's constructor in Go`, () => {
    // The shape of an OpenAPI document.
    const { schemas } = (document as { components: { schemas: object } }).components
    const constructors = Object.keys(schemas).map(schema => `New${schema}`)
    assert.deepEqual(
      Object.keys(schemas).filter(schema => constructors.includes(schema)),
      [],
    )
  })

  test(`the ${name} document has no schema that generators cannot read`, () => {
    visit(document, part => {
      const text = JSON.stringify(part)
      // Part of a name, not a keyword.
      if (typeof part.properties === 'object' && part.type === undefined) return
      for (const keyword of ['patternProperties', 'const', 'uniqueItems'])
        assert.ok(!Object.hasOwn(part, keyword), text)
      if (!Array.isArray(part.anyOf)) return
      const parts = part.anyOf.map(Object)
      assert.ok(!parts.every(choice => choice.enum?.length === 1), text)
      const values = parts.filter(choice => choice.type !== 'null')
      // One plain type with null is a list of types.
      const [value = {}] = values
      const isPlain = typeof value.type === 'string' && value.type !== 'object' && !value.enum
      assert.ok(parts.length === values.length || values.length > 1 || !isPlain, text)
    })
  })
}

test('every object of the management document has a name', () => {
  const { components, paths } = Object(documents.management)
  const assertNamed = (part: Record<string, unknown>) =>
    assert.ok(!(part.type === 'object' && part.properties), JSON.stringify(part))
  visit(paths, assertNamed)
  for (const schema of Object.values(components.schemas).map(Object))
    for (const inner of Object.values(schema)) visit(inner, assertNamed)
  // Names of the contract, of lists, and of what one operation reads or writes.
  for (const name of ['SystemToSystem', 'MemberList', 'CreateSystemToSystemInput', 'ErrorPlace'])
    assert.ok(Object.hasOwn(components.schemas, name), name)
})
