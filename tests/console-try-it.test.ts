/** APIs and "Try it" in real Chromium: what is clicked is what is asked, and the code shown asks the same. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import type { Browser } from 'playwright-core'
import { openChromium } from './chromium.ts'
import { adminEmail, settled, signIn, visitConsole } from './console-visit.ts'
import { type Library, makeLibrary } from './library.ts'
import { inspectViews } from './pages-inspect.ts'
import { type StartedServer, startServer } from './started-server.ts'

let server: StartedServer
let library: Library
let browser: Browser
before(async () => {
  server = await startServer()
  library = await makeLibrary(server)
  browser = await openChromium()
})
after(async () => {
  await browser?.close()
  await server?.stop()
})

/** A program on its standard input; what it prints. */
const runProgram = (command: string, args: string[], program: string): Promise<string> => {
  const running = promisify(execFile)(command, args, { maxBuffer: 1024 * 1024 })
  running.child.stdin?.end(program)
  return running.then(({ stdout }) => stdout)
}

/** Each runs the code, and prints its items. */
const runners: Record<string, (code: string) => Promise<string>> = {
  TypeScript: code =>
    runProgram(
      process.execPath,
      ['--input-type=module-typescript', '-'],
      `${code}\nconsole.log(JSON.stringify(items))`,
    ),
  Python: code => runProgram('python3', ['-'], `${code}\nprint(json.dumps(items))`),
}

test('a search: highlights, facets, pages, statistics, and code that asks the same', async () => {
  const { page, end } = await visitConsole(browser, server)
  await page.goto(`${server.authUrl}/console/w/library/apis`)
  await signIn(page, adminEmail)
  await page.getByRole('link', { name: 'search', exact: true }).click()
  await page.getByLabel('query').fill('silent river')
  await page.getByRole('button', { name: 'Search' }).click()
  await page.getByText('40 results').waitFor()
  assert.deepEqual([...new Set(await page.locator('mark').allTextContents())].toSorted(), ['river', 'silent'])
  await page
    .getByRole('progressbar', { name: '40 results with a probability of at least 0.0', exact: true })
    .waitFor()

  await page.getByText('drama (40)').click()
  await page.getByText('comedy (13)').click()
  await page.getByText('40 results').waitFor()
  await page.getByText('drama (40)').click()
  await page.getByText('13 results').waitFor()
  assert.match(decodeURIComponent(decodeURIComponent(page.url())), /genre:FILTER\/p\/value\/1\("?comedy"?\)/)
  await page.getByRole('button', { name: 'page 2', exact: true }).click()
  await settled(page)
  await page.getByLabel('rank 11').waitFor()
  await page.goBack()
  await page.getByLabel('rank 1', { exact: true }).waitFor()

  const curl = (await page.getByRole('tabpanel').locator('pre').textContent()) ?? ''
  const { stdout } = await promisify(execFile)('sh', ['-c', curl.replace('<ACCESS_TOKEN>', library.token)])
  const { items } = JSON.parse(stdout) as { items: { tuple: { id: string }[] }[] }
  const first = items[0]?.tuple[0]?.id ?? 'none'
  await page.getByText(first).waitFor()
  for (const [language, run] of Object.entries(runners)) {
    await page.getByRole('tab', { name: language }).click()
    const code = (await page.getByRole('tabpanel').locator('pre').textContent()) ?? ''
    assert.deepEqual(JSON.parse(await run(code.replace('<ACCESS_TOKEN>', library.token))), items, language)
  }
  await inspectViews(page, 'try-it-facets', undefined)
  await end()
})

test('what the service refuses is said in words, and nothing found says what may help', async () => {
  const { page, open, expectRefused, end } = await visitConsole(browser, server)
  await page.goto(`${server.authUrl}/console/w/library/apis/library?stack=e%2Flong%2Fp%2Fpages%2F3`)
  await signIn(page, adminEmail)
  await page.getByRole('heading', { name: 'Nothing found' }).waitFor()
  await inspectViews(page, 'nothing-found', undefined)
  await expectRefused([400], async () => {
    await open('/w/library/apis/library?stack=e%2Flong%2Fp%2Fpages%2Fmany')
    await page.getByRole('alert').getByText('many').waitFor()
  })
  await inspectViews(page, 'bad-query', undefined)
  await end()
})
