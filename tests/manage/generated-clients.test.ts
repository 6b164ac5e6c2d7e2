/**
 * OpenAPI Generator makes clients for Python, Go, Java and TypeScript from the documents of an API and of the management API. Each is compiled,
 * and a program creates a System-to-System account, gets a token with it, searches, and deletes it. Programs: tests/support/generated-clients/.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { type ClientGenerators, prepareGenerators } from '#tests/support/client-generators'
import { readBlocks } from '#tests/support/read-blocks'
import { fetchToken, type StartedServer, startServer } from '#tests/support/started-server'

const programs = join(import.meta.dirname, '../support/generated-clients')
let server: StartedServer
let generators: ClientGenerators
let folder = ''
let variables: Record<string, string> = {}
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querent-generated-'))
  const blocks = await readBlocks('query.md')
  const readBlock = (language: string) => blocks.find(block => block.language === language)?.code ?? ''
  generators = await prepareGenerators()
  server = await startServer()
  await server.applyWorkspace(readBlock('yaml').replace('    access: public\n', ''))
  await server.importDocuments('museum', 'works', readBlock('ndjson'))
  const account = await server.createAccount('museum', 'tests', 'api')
  // The JSON reply of `querent token`.
  const { accessToken } = (await server.run(['token', '--audience', `${server.authUrl}/manage/`])) as {
    accessToken: string
  }
  const token = await fetchToken(server, account)
  variables = { AUTH_URL: server.authUrl, MANAGE_TOKEN: accessToken, ACCESS_TOKEN: token }
  const headers = { authorization: `Bearer ${token}` }
  const works = await fetch(`${server.baseUrl}/4/museum/api/works/openapi.json`, { headers })
  await writeFile(join(folder, 'works.json'), await works.text())
  const manage = await fetch(`${server.authUrl}/manage/v1/openapi.json`)
  await writeFile(join(folder, 'manage.json'), await manage.text())
})
after(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Runs a script in a new folder with the program, and returns its output. */
const runProgram = async (name: string, source: string, file: string, script: string): Promise<string> => {
  const cwd = join(folder, name)
  await mkdir(cwd)
  await copyFile(join(programs, source), join(cwd, file))
  const env = { ...process.env, ...variables, PATH: generators.path, CLASSPATH: generators.classPath }
  const code = `set -euo pipefail
    generate() { openapi-generator-cli generate -i "../$1.json" "\${@:2}" >"$1.log" 2>&1 || { tail -c 4000 "$1.log" >&2; exit 1; }; }
    ${script}`
  // Bash reads ~/.bashrc if its input is a socket, and that may change PATH.
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-c', code], { cwd, env })
  return stdout
}

const titles = '1 Girl reading a letter\n2 Girl with a pearl earring\n'
const expected = `['generated', 'tests']\n${titles}['tests']\n`
const compileJava = (file: string) =>
  `javac -J-XX:TieredStopAtLevel=1 -proc:none -nowarn -d classes ${file} $(find */src/main -name '*.java') 2>errors.txt || { cat errors.txt >&2; exit 1; }`

describe('clients of an API and of the management API', () => {
  test('Python', async () => {
    const script = `for name in works manage; do
        generate $name -g python -o made-$name --package-name $name
        ln -s made-$name/$name $name
      done
      python client.py`
    assert.equal(await runProgram('python', 'client.py', 'client.py', script), expected)
  })

  test('Go', async () => {
    const script = `for name in works manage; do
        generate $name -g go -o $name --package-name $name -p withGoMod=false
        rm -r $name/test
      done
      go mod init example.org/app 2>init.log
      go get golang.org/x/oauth2@v0.15.0 2>get.log
      go mod tidy 2>tidy.log
      go run .`
    assert.equal(await runProgram('go', 'client.go', 'client.go', script), expected)
  })

  test('Java', async () => {
    const script = `for name in works manage; do
        generate $name -g java -o $name --invoker-package $name --api-package $name.api --model-package $name.model
      done
      ${compileJava('Client.java')}
      java -XX:TieredStopAtLevel=1 -cp "classes:$CLASSPATH" Client`
    assert.equal(await runProgram('java', 'client.java', 'Client.java', script), expected)
  })

  test('Java with the library native, and the settings of docs/generate-a-client.md', async () => {
    const fieldTypes = ['Text', 'Number', 'Boolean', 'Date', 'Place', 'Object', 'Vector']
    const types = [...fieldTypes, 'RowFilter', 'RowFilterNegated', 'RowFilterInnerNegated', 'OpenNames']
    const mappings = types.map(type => `${type}Value=com.fasterxml.jackson.databind.JsonNode`)
    const script = `for name in works manage; do
        generate $name -g java -o $name --invoker-package $name --api-package $name.api --model-package $name.model \\
          -p library=native,supportUrlQuery=false --schema-mappings ${mappings.join(',')}
      done
      ${compileJava('NativeClient.java')}
      java -XX:TieredStopAtLevel=1 -cp "classes:$CLASSPATH" NativeClient`
    assert.equal(await runProgram('native', 'native-client.java', 'NativeClient.java', script), titles)
  })

  test('TypeScript', async () => {
    const compilerOptions = { strict: true, module: 'nodenext', target: 'es2023', lib: ['es2023', 'dom'] }
    const options = { ...compilerOptions, outDir: 'out', types: ['node'], typeRoots: ['node_modules/@types'] }
    await symlink(generators.nodeModules, join(folder, 'node_modules'))
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options }))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    const script = `for name in works manage; do
        generate $name -g typescript-fetch -o $name -p importFileExtension=.js
      done
      echo '{"extends":"../tsconfig.json","compilerOptions":{"outDir":"out"},"files":["client.ts"]}' >tsconfig.json
      tsc -p . >&2
      ${process.execPath} out/client.js`
    assert.equal(await runProgram('typescript', 'client.txt', 'client.ts', script), expected)
  })
})
