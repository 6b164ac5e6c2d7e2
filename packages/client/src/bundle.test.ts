import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'

const bytesMax = 10 * 1024

test('for a browser, everything in the package is less than 10 KB compressed and needs no other package', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(import.meta.resolve('@querent/client'))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    write: false,
    metafile: true,
  })
  const bytes = gzipSync(outputFiles[0]?.contents ?? '', { level: 9 }).length
  assert.ok(bytes < bytesMax, `${bytes} bytes`)
  for (const input of Object.keys(metafile.inputs)) assert.match(input, /packages\/client\/src\/[\w-]+\.ts$/)
})

test('installing the package brings no other one', async () => {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'))
  assert.equal(manifest.dependencies, undefined)
  assert.deepEqual(Object.keys(manifest.peerDependenciesMeta), Object.keys(manifest.peerDependencies))
})
