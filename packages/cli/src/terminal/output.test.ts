import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sanitizeFor, sanitizeLine } from './output.ts'

test('output has no control characters, nor bidirectional ones on a terminal, and keeps words and emoji whole', () => {
  const words = 'نمی\u200cخواهم 👩\u200d💻 Wörter\u00adbuch'
  const input = `\x1b[1m${words}\x1b[22m\ta\x1b]0;x\x07b\u202ec\n`
  const file = `\x1b[1m${words}\x1b[22m\ta ]0;x b\u202ec\n`
  assert.equal(sanitizeFor({}, input), file)
  assert.equal(sanitizeFor({ isTTY: true }, input), file.replace('\u202e', ''))
  assert.equal(
    sanitizeFor({}, '\x07[1m\n[1m'),
    ' [1m\n[1m',
    'a color code after another control character does not keep it',
  )
  assert.equal(sanitizeLine(`${words}\ta\r\nb\u2028c`), `${words} a b c`)
})
