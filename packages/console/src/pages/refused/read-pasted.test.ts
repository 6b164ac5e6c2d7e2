import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPasted } from './read-pasted.ts'

const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2ln-_bmF0dXJl'
const requestId = '0b0f5a2e-6d0c-4c36-9e0b-3f1f3c0c9a11'

test('a token is found in whatever surrounds it', () => {
  for (const text of [
    jwt,
    ` ${jwt}\n`,
    `Bearer ${jwt}`,
    `DPoP ${jwt}`,
    `Authorization: Bearer ${jwt}`,
    `authorization:bearer ${jwt}`,
    `-H 'Authorization: Bearer ${jwt}'`,
    `"${jwt}"`,
    `{"access_token":"${jwt}","token_type":"Bearer"}`,
    // With the ID of the same request.
    `Authorization: Bearer ${jwt}\nX-Request-Id: ${requestId}`,
  ])
    assert.deepEqual(readPasted(text), { token: jwt }, text)
})

test('what is no JWT but was sent as a token is one', () => {
  assert.deepEqual(readPasted('Authorization: Bearer abc'), { token: 'abc' })
  assert.deepEqual(readPasted('a.b.c'), { token: 'a.b.c' })
})

test('a request id is found in a header or a reply', () => {
  for (const text of [
    requestId,
    requestId.toUpperCase(),
    `X-Request-Id: ${requestId}`,
    `{"status":403,"code":"forbidden","requestId":"${requestId}"}`,
  ])
    assert.deepEqual(readPasted(text), { requestId }, text)
})

test('other texts are neither', () => {
  for (const text of ['', 'hello', 'Authorization:', '403', requestId.slice(1)])
    assert.equal(readPasted(text), undefined, text)
})
