import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPicture, isPictureField } from './pictures.ts'

test('a picture at an http address loads by https', () => {
  assert.equal(
    findPicture({ attributes: { web: 'http://example.org/', Poster: ['http://example.org/alien.jpg'] } }),
    'https://example.org/alien.jpg',
  )
  assert.ok(isPictureField('Poster', ['http://example.org/poster?of=alien']))
  assert.ok(!isPictureField('web', ['http://example.org/']))
})
