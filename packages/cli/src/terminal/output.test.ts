import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plain, shownOn } from './output.ts'

test('control characters are taken out, on a terminal bidirectional ones too; words and emoji stay whole', () => {
  const words = 'نمی\u200cخواهم 👩\u200d💻 Wörter\u00adbuch'
  const sent = `\x1b[1m${words}\x1b[22m\ta\x1b]0;x\x07b\u202ec\n`
  const file = `\x1b[1m${words}\x1b[22m\ta ]0;x b\u202ec\n`
  assert.equal(shownOn({}, sent), file)
  assert.equal(shownOn({ isTTY: true }, sent), file.replace('\u202e', ''))
  assert.equal(shownOn({}, '\x07[1m\n[1m'), ' [1m\n[1m', 'what looks like a colour frees no other character')
  assert.equal(plain(`${words}\ta\r\nb\u2028c`), `${words} a b c`)
})
