/** The first Java that is new enough: JAVA_HOME's, one of the installed, that of the path. Throws {@link MissingProgram} when `what` finds none. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MissingProgram, run } from './start.ts'

const installedIn = '/usr/lib/jvm'

export const findJava = async (what: string, least: number): Promise<string> => {
  const installed = await readdir(installedIn).catch(() => [])
  const candidates = [
    ...(process.env.JAVA_HOME ? [join(process.env.JAVA_HOME, 'bin', 'java')] : []),
    ...installed.map(name => join(installedIn, name, 'bin', 'java')),
    'java',
  ]
  for (const java of candidates) {
    const said = await run(java, ['-version']).catch(() => undefined)
    const major = Number(/version "(\d+)/.exec(said?.stderr ?? '')?.[1])
    if (major >= least) return java
  }
  throw new MissingProgram(`${what} needs Java ${least} or newer: none was found`)
}
