import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decodeSample,
  type FileSample,
  sampleBeginningBytes,
  sampleFile,
  samplePartsMax,
  sampleStream,
} from './file-sample.ts'

const makeText = (lines: number) =>
  Array.from({ length: lines }, (_, index) => `${String(index).padStart(15, '0')}\n`).join('')

const readStream = (bytes: Uint8Array, chunkBytes: number) =>
  sampleStream(
    (async function* () {
      for (let start = 0; start < bytes.length; start += chunkBytes)
        yield bytes.subarray(start, start + chunkBytes)
    })(),
  )

test('a sample has the beginning and the end of a file, and parts between them that do not overlap', async () => {
  for (const lines of [10, sampleBeginningBytes / 16, 40_000, 100_000, 400_000]) {
    const text = makeText(lines)
    const bytes = Buffer.from(text)
    const samples: FileSample[] = [
      await sampleFile(new Blob([bytes])),
      await readStream(bytes, 60_000),
      await readStream(bytes, 100_000),
    ]
    for (const sample of samples) {
      const { beginning, parts, isCut } = sample
      assert.equal(Buffer.from(beginning).toString(), text.slice(0, sampleBeginningBytes))
      assert.equal(isCut, text.length > sampleBeginningBytes)
      assert.ok(parts.length <= samplePartsMax)
      let end = beginning.length
      for (const part of decodeSample(sample).parts) {
        const start = text.indexOf(part, end)
        assert.ok(start >= end, `${lines} lines`)
        end = start + part.length
      }
      if (text.length > 2 * sampleBeginningBytes) assert.equal(end, text.length)
    }
  }
})

test('a sample is read as UTF-8, as UTF-16 with a byte order mark, or else as Windows-1252', () => {
  const decode = (beginning: Uint8Array) => decodeSample({ beginning, parts: [], isCut: true }).text
  assert.equal(decode(Buffer.from('é€')), 'é€')
  // The last character is cut off.
  assert.ok(decode(Buffer.from('é€').subarray(0, -1)).startsWith('é'))
  assert.equal(decode(Buffer.from([0xe9, 0x20, 0x80])), 'é €')
  assert.equal(decode(Buffer.from('\ufeffé€', 'utf16le')), 'é€')
})
