/** The examples of docs/client.md: they compile with the types of `querent types`, run, and print what the page says. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { root, serveBundledPage } from '#tests/support/bundled-page'
import { openChromium, stepMsMax } from '#tests/support/chromium'
import { runQuerent } from '#tests/support/command-line'
import { findCompilerErrors } from '#tests/support/compile'
import { runExample } from '#tests/support/library-examples'
import { makeMember, type Person, registerApplication } from '#tests/support/person'
import { type CodeBlock, readBlocks } from '#tests/support/read-blocks'
import { type StartedServer, startServer } from '#tests/support/started-server'

let server: StartedServer
let ada: Person
let folder: string
let blocks: CodeBlock[]

before(async () => {
  ;[server, folder, blocks] = await Promise.all([
    startServer(),
    mkdtemp(join(tmpdir(), 'querent-client-page-')),
    readBlocks('client.md'),
  ])
  const museum = await readBlocks('query.md')
  const find = (language: string) => museum.find(block => block.language === language)?.code ?? ''
  await writeFile(join(folder, 'museum.yaml'), find('yaml'))
  await server.applyFile(join(folder, 'museum.yaml'))
  await server.importDocuments('museum', 'works', find('ndjson'))
  ada = await makeMember(server, 'museum', 'reader@example.org')
  // The packages of an application.
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), '{"type":"module"}')
})
after(async () => {
  await server?.stop()
  await rm(folder, { recursive: true, force: true })
})

const localize = (code: string): string =>
  code.replaceAll('http://127.0.0.1:4000', server.baseUrl).replaceAll('http://127.0.0.1:4001', server.authUrl)

test('each TypeScript example compiles, runs and prints what the page says', async () => {
  const examples = blocks.flatMap(({ language, code }, index) => {
    const next = blocks[index + 1]
    return language === 'ts' && next?.language === 'text'
      ? [{ code: localize(code), printed: next.code }]
      : []
  })
  assert.equal(examples.length, blocks.filter(({ language }) => language === 'ts').length)
  const { stdout: types } = await runQuerent(['types', 'museum', '--data', server.data])
  await writeFile(join(folder, 'museum-apis.ts'), types)
  for (const [index, { code }] of examples.entries())
    await writeFile(join(folder, `example-${index}.ts`), code)
  const names = examples.map((_, index) => `example-${index}.ts`)
  const { output } = await findCompilerErrors(folder, names, 'node')
  assert.equal(output, '')
  const account = await server.createAccount('museum', 'program', 'api')
  const terminal = await registerApplication(server, 'museum', 'native', 'http://127.0.0.1/callback')
  for (const [index, { code, printed }] of examples.entries()) {
    const client = code.includes('deviceSignIn') ? terminal : account
    // The person opens the address that the program prints.
    const program = code.replace(/console\.error\(`Open .*`\)/, 'approve(code)')
    const approve = `
const approve = (code: { verification_uri_complete: string }) => {
  process.stdout.write(code.verification_uri_complete + '\\n')
}
`
    await writeFile(join(folder, `example-${index}.ts`), program === code ? code : approve + program)
    const answer = (output: string) => {
      const address = /^http\S+$/m.exec(output)?.[0]
      return address === undefined ? undefined : ada.approveDevice(address).then(() => '')
    }
    const stdout = await runExample(process.execPath, {
      args: [`example-${index}.ts`],
      folder,
      client,
      ...(program === code ? {} : { answer }),
    })
    assert.equal(stdout.replace(/^http.*\n/, ''), printed)
  }
})

test('the example of a page signs a person in', async () => {
  const code = blocks.find(({ language }) => language === 'js')?.code ?? assert.fail()
  const browser = await openChromium()
  const site = await serveBundledPage(async url => {
    const { clientId } = await registerApplication(server, 'museum', 'browser', `${url}/callback`)
    return localize(code).replace('YOUR_CLIENT_ID', clientId)
  })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(stepMsMax)
    await page.goto(site.url)
    await page.getByLabel('E-mail address').fill(ada.email)
    await page.getByLabel('Password').fill(ada.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('button', { name: 'Allow', exact: true }).click()
    await page.getByText(`${ada.email} finds 7 works`).waitFor()
    assert.equal(page.url(), `${site.url}/`)
  } finally {
    await browser.close()
    await site.close()
  }
})
