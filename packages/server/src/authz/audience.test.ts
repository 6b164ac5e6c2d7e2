import assert from 'node:assert/strict'
import { test } from 'node:test'
import { audienceCovers } from './audience.ts'

const audience = 'https://search.example/4/abc/api/dict'

test('a token is valid at its address and below it, by whole decoded segments', () => {
  for (const address of [
    audience,
    `${audience}/`,
    `${audience}/e/search/p/query/striped%20cat/results`,
    'https://search.example/4/a%62c/api/di%63t/e/all/results',
    'https://search.example/4/%61%62%63/api/dict',
  ])
    assert.ok(audienceCovers(audience, address), address)
  assert.ok(audienceCovers('https://search.example/4/a%62c', 'https://search.example/4/abc/api/x'))
  assert.ok(audienceCovers('https://search.example/', 'https://search.example/4/%zz'))
})

test('a token is valid nowhere else', () => {
  for (const address of [
    'https://search.example/4/abc/api/dictionary',
    'https://search.example/4/abc/api',
    'https://search.example/4/abc%2Fapi%2Fdict',
    'https://search.example/4/abc/api%2Fdict',
    'https://search.example/4/a%62d/api/dict',
    'https://search.example/4/abc/api/%64ictionary',
    'https://search.example.evil/4/a%62c/api/dict',
    'https://search.example/4/ab%zz/api/dict',
  ])
    assert.ok(!audienceCovers(audience, address), address)
  assert.ok(!audienceCovers('', 'https://search.example/%61'))
})
