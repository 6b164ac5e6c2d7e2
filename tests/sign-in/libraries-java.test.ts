/** The example of docs/libraries.md for Spring Security, with the archives of Maven Central in the user's cache folder. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { cachedFolder, freePort } from '#bench/peers/start'
import {
  type LibrarySite,
  openLibrarySite,
  runExample,
  withExampleServer,
  writeExample,
} from '#tests/support/library-examples'

const springBoot = '3.5.0'
const starters = ['spring-boot-starter-web', 'spring-boot-starter-oauth2-client']
const project = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <parent>
    <groupId>org.springframework.boot</groupId>
    <artifactId>spring-boot-starter-parent</artifactId>
    <version>${springBoot}</version>
  </parent>
  <groupId>tests</groupId>
  <artifactId>tests</artifactId>
  <version>1</version>
  <dependencies>
    ${starters.map(name => `<dependency><groupId>org.springframework.boot</groupId><artifactId>${name}</artifactId></dependency>`).join('\n    ')}
  </dependencies>
</project>
`
/** Returns the class path. */
const prepareSpring = async (): Promise<string> => {
  const springFolder = await cachedFolder(`spring-boot-${springBoot}`, async folder => {
    await writeFile(join(folder, 'pom.xml'), project)
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=jars']
    await promisify(execFile)('mvn', ['-q', '-B', ...goal], { cwd: folder })
  })
  return join(springFolder, 'jars', '*')
}

let site: LibrarySite
let classPath: string
before(async () => {
  ;[classPath, site] = await Promise.all([prepareSpring(), openLibrarySite()])
})
after(() => site?.close())

test('Spring Security', async () => {
  const { folder, server } = site
  const port = await freePort()
  const address = `http://localhost:${port}`
  const redirectUri = `${address}/login/oauth2/code/querent`
  const client = await site.register(
    ...(['server', redirectUri, '--default-audience', server.baseUrl, '--without-pkce'] as const),
  )
  await writeExample(folder, 'application.yml', site.readExample('Spring Security', 'yaml', port))
  const file = await writeExample(folder, 'Application.java', site.readExample('Spring Security', 'java'))
  await runExample('javac', { args: ['-cp', classPath, '-d', '.', file], folder })
  // It does not run long enough for the optimizing compiler.
  const args = ['-XX:TieredStopAtLevel=1', '-cp', `.:${classPath}`, 'app.Application']
  await withExampleServer('java', { args, folder, client }, address, async () => {
    const { text } = await site.signInAt(`${address}/`)
    assert.deepEqual(JSON.parse(text), { total: 0 })
  })
})
