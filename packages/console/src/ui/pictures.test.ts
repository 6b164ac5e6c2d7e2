import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findPicture, isPictureField } from './pictures.ts'

test('a picture at an http address loads by https', () => {
  assert.equal(
    findPicture({ attributes: { web: 'http://example.org/', Poster: ['http://example.org/alien.jpg'] } }),
    'https://example.org/alien.jpg',
  )
  assert.equal(
    findPicture({ attributes: { company: { name: 'Acme', logo: 'https://logo.example/acme' } } }),
    'https://logo.example/acme',
  )
  assert.ok(isPictureField('Poster', ['http://example.org/poster?of=alien']))
  assert.ok(!isPictureField('web', ['http://example.org/']))
})

test('names in other languages, with capitals or of several pictures, are those of pictures too', () => {
  const address = 'https://picsum.photos/id/7/300/200'
  for (const name of [
    'Foto',
    'fotos',
    'Product_Afbeelding',
    'afbeeldingen',
    'omslag',
    'Bilder',
    'imageUrl',
    'productImages',
    'Image Src',
    'img_link',
    'thumbnailURL',
  ])
    assert.ok(isPictureField(name, [address]), name)
  for (const name of ['Fotograaf', 'imagination', 'Epic', 'Topics', 'logotherapy', 'Website', 'Bildung'])
    assert.ok(!isPictureField(name, [address]), name)
  assert.ok(!isPictureField('Pictures', ['https://example.org/a.jpg; https://example.org/b.jpg']))
})
