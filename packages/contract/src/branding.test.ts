import assert from 'node:assert/strict'
import { test } from 'node:test'
import { colord, extend } from 'colord'
import a11y from 'colord/plugins/a11y'
import fc from 'fast-check'
import { chooseAccentColors } from './accent-colors.ts'
import { brandUrlProblem } from './branding.ts'

extend([a11y])

const grounds = { light: ['#f6f7f9', '#ffffff'], dark: ['#1c1f28', '#12141a'] } as const

test('any color becomes one that can be read, as text and under text, in both schemes', () => {
  const hex = fc.integer({ min: 0, max: 0xffffff }).map(number => `#${number.toString(16).padStart(6, '0')}`)
  fc.assert(
    fc.property(hex, fc.constantFrom('light', 'dark'), (color, scheme) => {
      const { accent, accentStrong, onAccent } = chooseAccentColors(color, scheme)
      for (const visibleColor of [accent, accentStrong]) {
        for (const ground of grounds[scheme])
          assert.ok(colord(visibleColor).contrast(ground) >= 4.5, `${visibleColor} on ${ground}`)
        assert.ok(colord(onAccent).contrast(visibleColor) >= 4.5, `${onAccent} on ${visibleColor}`)
      }
    }),
  )
})

test('a color that can be read stays the same', () => {
  assert.equal(chooseAccentColors('#2b50c8', 'light').accent, '#2b50c8')
})

test('addresses of logos and pages are https, and cannot end a directive of a policy', () => {
  assert.equal(brandUrlProblem('https://example.org/logo.svg?size=2'), undefined)
  for (const address of [
    'http://example.org/logo.svg',
    'javascript:alert(1)',
    'data:image/svg+xml,x',
    'https://a:b@example.org/',
    "https://example.org/;script-src 'unsafe-inline'",
    'https://example.org/a b',
    '//example.org/logo.svg',
    '',
  ])
    assert.notEqual(brandUrlProblem(address), undefined, address)
})
