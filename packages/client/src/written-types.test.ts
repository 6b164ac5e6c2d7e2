import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type QueryOptionName,
  type QueryOptionRow,
  queryOptionNames,
  queryOptions,
} from '@querent/contract/query-options'

const writtenType = (row: QueryOptionRow): string => {
  if (row.type === 'flag') return 'boolean'
  if (row.type === 'choice') return row.values.map(value => `'${value}'`).join(' | ')
  return row.type === 'text' || row.type === 'names' ? 'string' : 'number'
}

const describe = (row: QueryOptionRow): string => {
  const [request] = row.requests
  const prefix = row.requests.length === 1 && request !== 'file' ? `For \`${request}\`: ` : ''
  const range = 'min' in row ? `, ${row.min} to ${row.max.toLocaleString('en')}` : ''
  const text = row.description.replace(/\.$/, '')
  const defaultText = 'default' in row && row.type !== 'text' ? `, default ${row.default}` : ''
  return `${prefix}${prefix ? text.charAt(0).toLowerCase() + text.slice(1) : text}${range}${defaultText}.`
}

const writeMembers = (offers: (row: QueryOptionRow) => boolean): string => {
  const isOffered = (name: QueryOptionName) => offers(queryOptions[name])
  return queryOptionNames
    .filter(isOffered)
    .map(
      name =>
        `  /** ${describe(queryOptions[name])} */\n  ${name}?: ${writtenType(queryOptions[name])} | undefined\n`,
    )
    .join('')
}

const writtenTypes = `/**
 * The options of queries. The table of options in packages/contract/src/query-options.ts makes this file:
 * \`WRITE_TYPES=1 node --test packages/client/src/written-types.test.ts\`
 */

export interface QueryOptions {
${writeMembers(({ client }) => client === undefined)}}

/** Options of \`queryUrl\`, which can also return results as a file. */
export interface AddressOptions extends QueryOptions {
${writeMembers(({ client }) => client === 'files')}}
`

test('the types of the client are those of the table of options', async () => {
  const path = join(import.meta.dirname, 'query-options.ts')
  if (process.env.WRITE_TYPES === '1') await writeFile(path, writtenTypes)
  assert.equal(await readFile(path, 'utf8'), writtenTypes, 'run the command in the first lines of the file')
})
