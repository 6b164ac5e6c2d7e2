/** Every operation of the contract's table: 2xx, 400, 401, 403, 404, and another workspace's token. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Operation, type OperationId, operations } from '@querent/contract/manage'
import { inputValidator, replySerializer } from './schema-compilers.ts'
import { operationRows } from './test-operations.ts'
import { openTestServer } from './test-server.ts'

let server: Awaited<ReturnType<typeof openTestServer>>
let rows: ReturnType<typeof operationRows>
before(async () => {
  server = await openTestServer()
  rows = operationRows(server)
})
after(() => server.close())

for (const operation of Object.values(operations) as Operation[]) {
  test(`${operation.id} (${operation.method} ${operation.path}) holds its permission and its errors`, async () => {
    const row = await rows[operation.id as OperationId]()
    const { method } = operation

    const replyWithoutToken = await server.call(undefined, method, row.path, row.body)
    assert.equal(replyWithoutToken.status, 401, 'without a token')
    assert.match(
      replyWithoutToken.headers.get('www-authenticate') ?? '',
      /^Bearer realm="querent", resource_metadata=/,
    )
    assert.equal(replyWithoutToken.body.code, 'no-token')
    const foreign = await server.call({ token: 'a.b.c' }, method, row.path, row.bad ?? row.body)
    assert.equal(foreign.status, 401, 'with a bad token, before what was sent is looked at')
    assert.match(foreign.headers.get('www-authenticate') ?? '', /error="invalid_token"/)

    for (const person of row.mayNot) {
      // The body of a file names its workspace, so it is read first.
      const requestBody = operation.permission === 'account' ? row.body : (row.bad ?? row.body)
      const refusal = await server.call(person, method, row.path, requestBody)
      assert.equal(refusal.status, 403, `as ${person}: ${JSON.stringify(refusal.body)}`)
      assert.match(refusal.headers.get('www-authenticate') ?? '', /error="insufficient_scope"/)
      assert.equal(refusal.body.requestId, refusal.headers.get('x-request-id'))
    }
    if (operation.path.startsWith('/workspaces/{workspace}')) {
      const path = row.path.replace(/\/workspaces\/\w+/, '/workspaces/nowhere')
      const nowhere = await server.call('ada', method, path, row.body)
      const films = await server.call(
        'ada',
        method,
        path.replace('/workspaces/nowhere', '/workspaces/films'),
        row.body,
      )
      assert.equal(nowhere.status, 403, 'a workspace that is not there')
      assert.equal(nowhere.body.message, films.body.message, 'answers like one of others')
      // Operators see every workspace, so this reveals nothing.
      const operatorReply = await server.call('operator', method, path, row.body)
      assert.deepEqual(
        [operatorReply.status, operatorReply.body.message],
        [404, 'there is no workspace "nowhere"'],
      )
    }
    if (row.bad !== undefined) {
      const bad = await server.call(row.may, method, row.path, row.bad)
      assert.equal(bad.status, 400, JSON.stringify(bad.body))
      assert.equal(bad.body.code, 'bad-parameter')
      assert.match(bad.body.message, /^(?!body)\S+: /)
      const unknown = await server.call(row.may, method, row.path, { ...Object(row.body), colour: 'red' })
      assert.equal(unknown.status, 400)
      assert.match(unknown.body.message, /^colour: unknown key "colour"; allowed: /)
      assert.equal((await server.call(row.may, method, row.path, '{"half')).status, 400)
      assert.equal((await server.call(row.may, method, row.path, 'null')).status, 400)
    }
    if (row.missing !== undefined) {
      const missing = await server.call(row.may, method, row.missing, row.body)
      assert.equal(missing.status, 404, JSON.stringify(missing.body))
      assert.equal(missing.body.code, 'no-such-resource')
    }
    const done = await server.call(row.may, method, row.path, row.body)
    assert.equal(done.status, operation.status, JSON.stringify(done.body))
    assert.equal(done.body === undefined, operation.reply === undefined && operation.media === undefined)
    const asOperator =
      operation.status === 200 && typeof row.may === 'string'
        ? await server.call('operator', method, row.path, row.body)
        : done
    assert.equal(asOperator.status, operation.status, 'operators manage any workspace')
  })
}

// Schemas are compiled on first use, so a start would not show errors.
test('every schema of an operation compiles: of what is sent and of what is answered', () => {
  for (const operation of Object.values(operations) as Operation[]) {
    const { id, method, path, params, query, input, status } = operation
    for (const [httpPart, schema] of Object.entries({ params, querystring: query, body: input }))
      if (schema) assert.doesNotThrow(() => inputValidator({ schema, method, url: path, httpPart }), id)
    for (const reply of [operation.reply, operation.acceptedReply].filter(schema => schema !== undefined))
      assert.doesNotThrow(
        () => replySerializer({ schema: reply, method, url: path, httpStatus: String(status) }),
        id,
      )
  }
})
