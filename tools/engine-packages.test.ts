/** The package with the addon of each platform, and the workflow that builds them. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadAddon, platformName, platforms } from '@querent/engine/platform'
import { parse } from 'yaml'

const names = platforms.map(({ name }) => name)

test('each platform has the package name that the loader looks for, and the matching Rust target', () => {
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

/** A `require` that only finds the given names. Others fail as in Node. */
const finding =
  (...available: string[]) =>
  (place: string): unknown => {
    if (available.includes(place)) return place
    throw Object.assign(new Error(`Cannot find module '${place}'\nRequire stack:`), {
      code: 'MODULE_NOT_FOUND',
    })
  }

test('the addon comes from its package, or from a local build', () => {
  const ownAddon = './querent-engine.linux-x64-musl.node'
  const packaged = '@querent/engine-linux-x64-musl'
  assert.equal(loadAddon(finding(packaged), 'linux-x64-musl'), packaged)
  assert.equal(loadAddon(finding(ownAddon), 'linux-x64-musl'), ownAddon)
  assert.equal(loadAddon(finding(ownAddon, packaged), 'linux-x64-musl'), ownAddon)
  assert.throws(() => loadAddon(finding('@querent/engine-linux-x64-gnu'), 'linux-x64-musl'), {
    message:
      /cannot load the package @querent\/engine-linux-x64-musl .*--omit=optional.*npm rebuild @querent\/engine/,
  })
  assert.throws(
    () => loadAddon(finding(), 'freebsd-x64'),
    /there is no prebuilt addon for freebsd-x64.*Install Rust/,
  )
})

test('the error for an addon that cannot be loaded contains the reason', () => {
  const load = (place: string): unknown => {
    if (place.startsWith('@'))
      throw Object.assign(new Error("version `GLIBC_2.35' not found"), { code: 'ERR_DLOPEN_FAILED' })
    return finding()(place)
  }
  assert.throws(() => loadAddon(load, 'linux-x64-gnu'), /GLIBC_2\.35/)
})

test('the workflow builds every platform, and pins its actions', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '.github/workflows/packages.yml'), 'utf8')
  const { jobs } = parse(text) as {
    jobs: Record<
      string,
      { steps?: { uses?: string }[]; strategy?: { matrix: { include: { platform: string }[] } } }
    >
  }
  const builtPlatforms = jobs.addon?.strategy?.matrix.include.map(row => row.platform)
  assert.deepEqual(builtPlatforms?.toSorted(), names.toSorted())
  assert.match(text, new RegExp(`-eq ${names.length}\\n`))
  // A job that runs another workflow has no steps.
  for (const { steps = [] } of Object.values(jobs))
    for (const { uses } of steps) if (uses !== undefined) assert.match(uses, /@[0-9a-f]{40}$/)
})
