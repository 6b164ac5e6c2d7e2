/** The next steps after each error of the console. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiError, UnreachableError } from '@querent/client'
import '#console/test-dom'

// After the window that they read.
const { EditConflict } = await import('#console/api/edit-conflict')
const { listNextSteps } = await import('#console/ui/next-steps')

const fail = (status: number, code: string, errors: { path: string; message: string }[] = []) =>
  new ApiError(status, { code, message: 'no', requestId: 'r1', errors })
const inCollection = { workspace: 'library', collection: 'books' }
const steps = (error: unknown, place = {}, isQuery = false) => listNextSteps(error, place, isQuery, true)

test('each error has a next step', () => {
  const outdated = Object.assign(new Error('old'), { name: 'OutdatedConsoleError' })
  const misnamed = [{ path: 'apis.shop', message: 'no' }]
  for (const [error, place, isQuery, expected] of [
    [outdated, {}, false, ['reload']],
    [new UnreachableError('http://127.0.0.1', new Error('gone')), {}, true, ['retry']],
    [new EditConflict(), { workspace: 'library' }, false, ['history']],
    [fail(500, 'fault'), {}, true, ['retry', 'error-docs']],
    [fail(503, 'unavailable'), {}, false, ['error-docs']],
    [fail(429, 'too-many-requests'), {}, true, ['retry', 'error-docs']],
    [fail(404, 'no-such-resource'), {}, false, ['start', 'error-docs']],
    [fail(404, 'no-such-resource'), { workspace: 'library' }, false, ['overview', 'error-docs']],
    [fail(404, 'no-such-resource'), inCollection, false, ['data', 'error-docs']],
    [fail(404, 'no-such-api'), { workspace: 'library', api: 'shop' }, false, ['apis', 'error-docs']],
    [fail(403, 'insufficient-scope'), { workspace: 'library' }, false, ['refusal', 'error-docs']],
    [fail(403, 'insufficient-scope'), {}, false, ['start', 'error-docs']],
    [fail(400, 'bad-workspace-file', misnamed), inCollection, false, ['file', 'error-docs']],
    [fail(409, 'conflict'), inCollection, true, ['retry', 'error-docs']],
    [fail(409, 'leak-test-failed'), inCollection, false, ['relevance', 'error-docs']],
    [fail(400, 'bad-documents'), inCollection, false, ['import-docs']],
    [fail(400, 'bad-request'), {}, false, ['error-docs']],
  ] as const)
    assert.deepEqual(steps(error, place, isQuery), expected, String(error))
})
