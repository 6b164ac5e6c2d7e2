/**
 * Generators of clients from OpenAPI documents, and Spectral, which checks such documents: from npm and Maven, kept in the user's cache folder.
 * The Python one is in prepare-python.sh.
 */
import { execFile } from 'node:child_process'
import { chmod, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { cachedFolder } from '#bench/peers/start'
import { python } from './python.ts'

const run = promisify(execFile)

/** openapi-typescript needs TypeScript 5. */
const npmPackages = [
  '@stoplight/spectral-cli@6.16.3',
  '@types/node@24.19.2',
  'openapi-fetch@0.17.0',
  'openapi-typescript@7.13.0',
  'typescript@5.9.3',
]

/** Returns a folder whose `node_modules` has the packages. */
const npmFolder = (): Promise<string> =>
  cachedFolder(`client-generators-${npmPackages.join(' ').replaceAll(/[^a-z0-9.]+/g, '-')}`, async folder => {
    await writeFile(join(folder, 'package.json'), '{"private":true,"type":"module"}')
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--prefix', folder]
    await run('npm', ['install', ...options, ...npmPackages], { cwd: folder })
  })

const generatorVersion = '7.25.0'
/** The generated Java client needs them: those of its pom.xml. */
const javaLibraries = [
  'com.squareup.okhttp3:okhttp:4.12.0',
  'com.squareup.okhttp3:logging-interceptor:4.12.0',
  'com.google.code.gson:gson:2.10.1',
  'io.gsonfire:gson-fire:1.9.0',
  'org.apache.commons:commons-lang3:3.18.0',
  'org.apache.oltu.oauth2:org.apache.oltu.oauth2.client:1.0.2',
  'org.openapitools:jackson-databind-nullable:0.2.6',
  'jakarta.ws.rs:jakarta.ws.rs-api:2.1.6',
  'jakarta.annotation:jakarta.annotation-api:1.3.5',
  'com.google.code.findbugs:jsr305:3.0.2',
]
const dependency = (coordinates: string, more = '') => {
  const [group, artifact, version] = coordinates.split(':')
  return `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>${more}</dependency>`
}
/** The generator's archive contains what it needs. */
const alone = '<exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>'
const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>tests</groupId>
  <artifactId>tests</artifactId>
  <version>1</version>
  <dependencies>
    ${dependency(`org.openapitools:openapi-generator-cli:${generatorVersion}`, alone)}
    ${javaLibraries.map(coordinates => dependency(coordinates)).join('\n    ')}
  </dependencies>
</project>
`

/** Returns a folder with the archives in `jars`, and the program `openapi-generator-cli`. */
const javaFolder = (): Promise<string> =>
  cachedFolder(`openapi-generator-${generatorVersion}`, async folder => {
    await writeFile(join(folder, 'pom.xml'), project)
    const goal = ['dependency:copy-dependencies', '-DincludeScope=compile', '-DoutputDirectory=jars']
    await run('mvn', ['-q', '-B', ...goal], { cwd: folder })
    const program = join(folder, 'openapi-generator-cli')
    // It does not run long enough for the optimizing compiler.
    const java = `java -XX:TieredStopAtLevel=1 -jar "$(dirname "$0")/jars/openapi-generator-cli-${generatorVersion}.jar"`
    await writeFile(program, `#!/bin/sh\nexec ${java} "$@"\n`)
    await chmod(program, 0o755)
  })

export interface ClientGenerators {
  /** `PATH` with the generators, `tsc`, `spectral` and Python. */
  path: string
  /** Folder of installed npm packages. */
  nodeModules: string
  /** Class path of the generated Java client. */
  classPath: string
}

export const prepareGenerators = async (): Promise<ClientGenerators> => {
  const [npm, java] = await Promise.all([npmFolder(), javaFolder()])
  const nodeModules = join(npm, 'node_modules')
  const folders = [join(nodeModules, '.bin'), dirname(python()), java]
  return {
    path: [...folders, process.env.PATH].join(':'),
    nodeModules,
    classPath: join(java, 'jars', '*'),
  }
}
