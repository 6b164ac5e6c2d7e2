// Runs cargo on this crate: `node cargo.js test --locked`. The target folder is outside the checkout, where it survives `git clean` and
// all checkouts share it.

import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { platform } from './platform.js'

export const targetFolder = process.env.CARGO_TARGET_DIR ?? join(cacheFolder(), 'querent', 'engine-target')

// On musl Rust links libc statically by default. An addon must use the libc of Node.
const flags = platform.endsWith('-musl')
  ? { RUSTFLAGS: `${process.env.RUSTFLAGS ?? ''} -C target-feature=-crt-static`.trim() }
  : {}

/** Runs cargo with inherited output. Returns its exit status. */
export function cargo(...args) {
  mkdirSync(targetFolder, { recursive: true })
  const run = spawnSync('cargo', args, {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: 'inherit',
    env: { ...process.env, CARGO_TARGET_DIR: targetFolder, ...flags },
  })
  return run.status ?? 1
}

function cacheFolder() {
  if (process.env.XDG_CACHE_HOME) return process.env.XDG_CACHE_HOME
  if (process.platform === 'win32' && process.env.LOCALAPPDATA) return process.env.LOCALAPPDATA
  return join(homedir(), '.cache')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.exit(cargo(...process.argv.slice(2)))
