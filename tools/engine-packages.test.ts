/** Which package carries the addon on which platform, and that what builds them builds each. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadAddon, platformName, platforms } from '@querent/engine/platform'
import { parse } from 'yaml'

const names = platforms.map(({ name }) => name)

test('each platform has the name that it is looked up by, and the Rust target of its parts', () => {
  for (const { name, os, cpu, libc, target } of platforms) {
    assert.equal(platformName(os, cpu, libc === 'musl'), name)
    assert.equal(libc !== undefined, os === 'linux')
    assert.ok(target.startsWith(cpu === 'x64' ? 'x86_64-' : 'aarch64-'), target)
    assert.ok(target.includes({ linux: 'linux', darwin: 'darwin', win32: 'windows' }[os] ?? '?'), target)
    assert.equal(target.endsWith('-musl'), libc === 'musl')
  }
  assert.equal(new Set(names).size, names.length)
  assert.ok(names.includes('linux-x64-gnu') && names.includes('linux-x64-musl'))
})

/** A `require` that finds only what is named; the others fail as Node does. */
const finding =
  (...there: string[]) =>
  (place: string): unknown => {
    if (there.includes(place)) return place
    throw Object.assign(new Error(`Cannot find module '${place}'\nRequire stack:`), {
      code: 'MODULE_NOT_FOUND',
    })
  }

test('the addon is taken from its package, or from a build of one’s own', () => {
  const ownAddon = './querent-engine.linux-x64-musl.node'
  const packaged = '@querent/engine-linux-x64-musl'
  assert.equal(loadAddon(finding(packaged), 'linux-x64-musl'), packaged)
  assert.equal(loadAddon(finding(ownAddon), 'linux-x64-musl'), ownAddon)
  assert.equal(loadAddon(finding(ownAddon, packaged), 'linux-x64-musl'), ownAddon)
  assert.throws(() => loadAddon(finding('@querent/engine-linux-x64-gnu'), 'linux-x64-musl'), {
    message:
      /neither the package @querent\/engine-linux-x64-musl .*--omit=optional.*npm rebuild @querent\/engine/,
  })
  assert.throws(
    () => loadAddon(finding(), 'freebsd-x64'),
    /there is no prebuilt one for freebsd-x64.*Install Rust/,
  )
})

test('why an addon that is there cannot be loaded is said', () => {
  const load = (place: string): unknown => {
    if (place.startsWith('@'))
      throw Object.assign(new Error("version `GLIBC_2.35' not found"), { code: 'ERR_DLOPEN_FAILED' })
    return finding()(place)
  }
  assert.throws(() => loadAddon(load, 'linux-x64-gnu'), /GLIBC_2\.35/)
})

test('the workflow builds every platform, and pins what it uses', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '.github/workflows/packages.yml'), 'utf8')
  const { jobs } = parse(text) as {
    jobs: Record<
      string,
      { steps: { uses?: string }[]; strategy?: { matrix: { include: { platform: string }[] } } }
    >
  }
  const builtPlatforms = jobs.addon?.strategy?.matrix.include.map(row => row.platform)
  assert.deepEqual(builtPlatforms?.toSorted(), names.toSorted())
  assert.match(text, new RegExp(`-eq ${names.length}\\n`))
  for (const { steps } of Object.values(jobs))
    for (const { uses } of steps) if (uses !== undefined) assert.match(uses, /@[0-9a-f]{40}$/)
})
