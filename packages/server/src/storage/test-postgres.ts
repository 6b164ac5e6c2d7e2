/**
 * A real PostgreSQL for tests: a temporary cluster on a free port, removed afterwards. `npm test` starts one
 * for all test files (tools/test-environment.ts); a test file run alone starts its own.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { waitUntil } from '#test-wait'

/** Connection string of the run's cluster, for test files and the servers they start. */
const variable = 'QUERENT_TEST_POSTGRES'

export interface Cluster {
  /** Superuser connection string without a database. */
  address: string
  /** SIGINT disconnects clients first; SIGQUIT ends at once, as a crash does. Committed data stays. */
  end(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** Restarts at the same address; resolves when it answers. */
  restart(): Promise<void>
  /** Stops all of its processes (SIGSTOP): connections stay open, and nothing is answered. */
  freeze(): void
  /** Lets frozen processes continue. */
  thaw(): void
  /** At once: nothing of it is kept. */
  stop(): void
}

/** Debian keeps the server's programs off the PATH. */
const programs = (): string => {
  const debian = '/usr/lib/postgresql'
  try {
    const newest = readdirSync(debian).toSorted((a, b) => Number(b) - Number(a))[0]
    if (newest !== undefined) return join(debian, newest, 'bin')
  } catch {
    // Not Debian: use the PATH.
  }
  try {
    return execFileSync('pg_config', ['--bindir'], { encoding: 'utf8' }).trim()
  } catch (cause) {
    throw new Error('PostgreSQL is not installed, which the tests need: run tools/prepare-tests.sh', {
      cause,
    })
  }
}

/** PostgreSQL refuses to run as root, so it runs as its package's user. */
const account = (): { uid?: number; gid?: number } => {
  if (process.getuid?.() !== 0) return {}
  const id = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}

const freePort = async (): Promise<number> => {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise(resolve => server.close(resolve))
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

const answers = async (connection: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: connection })
  client.on('error', () => {})
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

/**
 * Starts a cluster; resolves when it answers. It does not sync to disk: committed data survives its
 * processes, not the machine.
 */
export const startCluster = async (): Promise<Cluster> => {
  const bin = programs()
  const user = account()
  const folder = mkdtempSync(join(tmpdir(), 'querent-postgres-'))
  const data = join(folder, 'data')
  const password = randomBytes(16).toString('hex')
  const passwordFile = join(folder, 'password')
  writeFileSync(passwordFile, password, { mode: 0o600 })
  if (user.uid !== undefined && user.gid !== undefined)
    for (const path of [folder, passwordFile]) chownSync(path, user.uid, user.gid)
  const options = ['-A', 'scram-sha-256', '-U', 'postgres', `--pwfile=${passwordFile}`, '-E', 'UTF8', '-N']
  execFileSync(join(bin, 'initdb'), ['-D', data, '--locale=C', ...options], {
    ...user,
    cwd: folder,
    stdio: 'pipe',
  })
  const port = await freePort()
  const settings = [
    'listen_addresses=127.0.0.1',
    'unix_socket_directories=',
    'fsync=off',
    'full_page_writes=off',
    'max_connections=200',
  ].flatMap(setting => ['-c', setting])
  const address = `postgres://postgres:${password}@127.0.0.1:${port}`
  let server: ChildProcess | undefined
  const launch = async () => {
    let log = ''
    const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings], {
      ...user,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    server = child
    const errors = child.stderr
    if (errors instanceof Socket) errors.unref()
    errors?.setEncoding('utf8').on('data', (text: string) => {
      log = (log + text).slice(-10_000)
    })
    // A test file that started it does not wait for it: it ends with the process.
    child.unref()
    await waitUntil(() => {
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${log}`)
      return answers(`${address}/postgres`)
    })
  }
  const end = async (signal: NodeJS.Signals) => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const exited = once(server, 'exit')
    server.ref()
    server.kill(signal)
    await exited
  }
  /** Signals the server and its children, one for each connection. */
  const signalAll = (signal: 'STOP' | 'CONT') => {
    const pid = String(server?.pid)
    spawnSync('kill', [`-${signal}`, pid])
    spawnSync('pkill', [`-${signal}`, '-P', pid])
  }
  const stop = () => {
    process.off('exit', stop)
    signalAll('CONT')
    // Fails if it does not run; then there is nothing to stop.
    spawnSync(join(bin, 'pg_ctl'), ['stop', '-D', data, '-m', 'immediate'], { ...user, cwd: folder })
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', stop)
  await launch()
  return {
    address,
    end,
    restart: launch,
    freeze: () => signalAll('STOP'),
    thaw: () => signalAll('CONT'),
    stop,
  }
}

let cluster: Promise<Cluster> | undefined
const startOwnCluster = (): Promise<Cluster> => {
  cluster ??= startCluster()
  return cluster
}

/** Connection string of a new, empty database: in the run's cluster, unless another is named. */
export const freshDatabase = async (requestedCluster?: Cluster): Promise<string> => {
  const address = requestedCluster?.address ?? process.env[variable] ?? (await startOwnCluster()).address
  const name = `test_${randomBytes(8).toString('hex')}`
  const client = new pg.Client({ connectionString: `${address}/postgres` })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  return `${address}/${name}`
}

let runCluster: Cluster | undefined

/** Starts the cluster of the run. Later processes find it by the environment. */
export const globalSetup = async (): Promise<void> => {
  runCluster = await startCluster()
  process.env[variable] = runCluster.address
}

/** Stops the cluster of the run. */
export const globalTeardown = async (): Promise<void> => {
  runCluster?.stop()
}
