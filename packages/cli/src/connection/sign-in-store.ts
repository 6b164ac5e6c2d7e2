/**
 * Sign-ins of `querent login`, one file per server in the user's configuration folder. Only the user may read them: they contain refresh
 * tokens.
 */
import { chmod, mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CommandError } from '#command-line/failure'
import { undefinedIfAbsent } from './stat.ts'

/** Content of a file. */
export interface SignIn {
  authUrl: string
  email: string
  refreshToken: string
}

/** Returns the user's configuration folder: XDG_CONFIG_HOME if it is set, otherwise the platform's. */
const configurationFolder = (): string => {
  const { XDG_CONFIG_HOME = '', APPDATA } = process.env
  if (isAbsolute(XDG_CONFIG_HOME)) return XDG_CONFIG_HOME
  if (process.platform === 'win32') return APPDATA ?? join(homedir(), 'AppData', 'Roaming')
  return process.platform === 'darwin'
    ? join(homedir(), 'Library', 'Application Support')
    : join(homedir(), '.config')
}

const signInFolder = (): string => join(configurationFolder(), 'querent', 'sign-ins')
/** The origin is encoded, because it has characters that file systems reject. */
const signInFile = (authUrl: string): string => join(signInFolder(), `${encodeURIComponent(authUrl)}.json`)

/** Returns the sign-in to a server, or undefined if there is none. Throws {@link CommandError} for a damaged or unreadable file. */
export const readSignIn = async (authUrl: string): Promise<SignIn | undefined> => {
  const file = signInFile(authUrl)
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    return undefinedIfAbsent(file, error)
  }
  const signIn = parseSignIn(text)
  if (signIn?.authUrl === authUrl) return signIn
  throw new CommandError(`${file} is damaged: sign in again with \`querent login ${authUrl}\``)
}

const parseSignIn = (text: string): SignIn | undefined => {
  try {
    const { authUrl, email, refreshToken }: Record<string, unknown> = { ...Object(JSON.parse(text)) }
    return typeof authUrl === 'string' && typeof email === 'string' && typeof refreshToken === 'string'
      ? { authUrl, email, refreshToken }
      : undefined
  } catch {
    return undefined
  }
}

/** Returns the servers with a sign-in, sorted. */
export const listSignIns = async (): Promise<string[]> => {
  const folder = signInFolder()
  const names = await readdir(folder).catch((error: unknown) => undefinedIfAbsent(folder, error) ?? [])
  return names
    .flatMap(name => (name.endsWith('.json') ? [decodeURIComponent(name.replace(/\.json$/, ''))] : []))
    .sort()
}

/** Replaces the sign-in to its server. A crash leaves the former file or the new one. Call it within {@link withSignInLock}. */
export const writeSignIn = async (signIn: SignIn): Promise<void> => {
  const file = signInFile(signIn.authUrl)
  const newFile = `${file}.${process.pid}.new`
  const handle = await open(newFile, 'w', 0o600)
  try {
    await handle.writeFile(`${JSON.stringify(signIn)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(newFile, file)
}

/** Removes the sign-in to a server. Call it within {@link withSignInLock}. */
export const removeSignIn = (authUrl: string): Promise<void> => rm(signInFile(authUrl), { force: true })

/**
 * Runs `work` while no other command uses the sign-in to this server. A refresh token works once, so two commands at a time would end the
 * sign-in. Throws {@link CommandError} if the folder cannot be newFile.
 */
export const withSignInLock = async <T>(authUrl: string, work: () => Promise<T>): Promise<T> => {
  const lock = `${signInFile(authUrl)}.lock`
  await makeFolder()
  while (!(await takeLock(lock))) {
    await removeAbandonedLock(lock)
    await sleep(retryMs)
  }
  try {
    return await work()
  } finally {
    await rm(lock, { force: true })
  }
}

const retryMs = 50
/** Longer than `work` can take: it sends one request, which ends after 10 s. */
const abandonedMs = 20_000

const makeFolder = async (): Promise<void> => {
  const folder = signInFolder()
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await chmod(folder, 0o700)
  } catch (error) {
    throw new CommandError(
      `the sign-in cannot be stored in ${folder} (${error instanceof Error ? error.message : error}): make it writable, or set XDG_CONFIG_HOME to another folder`,
    )
  }
}

const takeLock = async (lock: string): Promise<boolean> => {
  try {
    const handle = await open(lock, 'wx', 0o600)
    await handle.writeFile(`${process.pid} ${hostname()}`)
    await handle.close()
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

/**
 * Removes the lock of a process that was killed. If two commands remove it at a time and both go on, the server accepts the same refresh
 * token twice within 30 s.
 */
const removeAbandonedLock = async (lock: string): Promise<void> => {
  try {
    const [{ mtimeMs }, text] = await Promise.all([stat(lock), readFile(lock, 'utf8')])
    const [pid = '', host] = text.split(' ')
    const isGone = host === hostname() && !isRunning(Number(pid))
    if (!isGone && Date.now() - mtimeMs < abandonedMs) return
    const abandoned = `${lock}.${process.pid}`
    await rename(lock, abandoned)
    await rm(abandoned, { force: true })
  } catch (error) {
    undefinedIfAbsent(lock, error)
  }
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
