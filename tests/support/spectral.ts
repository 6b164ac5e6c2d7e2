/** Lints OpenAPI documents with Spectral, all rules of `spectral:oas` that it recommends (https://github.com/stoplightio/spectral). */
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { npmFolder } from './npm-folder.ts'

const packages = ['@stoplight/spectral-core@1.24.1', '@stoplight/spectral-rulesets@1.23.1']

/** The members that lintOpenApi uses. */
interface Spectral {
  setRuleset(ruleset: { extends: [ruleset: unknown, rules: 'recommended'][] }): void
  run(document: object): Promise<{ code: string | number; path: (string | number)[]; message: string }[]>
}

/** Returns a line for each finding. */
export const lintOpenApi = async (document: object): Promise<string[]> => {
  const require = createRequire(join(await npmFolder('spectral', packages), 'package.json'))
  const { Spectral }: { Spectral: new () => Spectral } = require('@stoplight/spectral-core')
  const { oas }: { oas: unknown } = require('@stoplight/spectral-rulesets')
  const spectral = new Spectral()
  spectral.setRuleset({ extends: [[oas, 'recommended']] })
  const findings = await spectral.run(document)
  return findings.map(({ code, path, message }) => `${code} at ${path.join('.')}: ${message}`)
}
