/** Fills the demo's cities from the tables in `cities/`, which its NOTICE describes. */
import { readFile } from 'node:fs/promises'
import { CommandError } from '#command-line/failure'
import type { Connection } from '#connection/connect'
import { sendDocuments } from '#documents/send-documents'
import { dictionary } from './dictionary.ts'

export interface CityDocument {
  id: string
  name: string
  /** ISO 3166-1 alpha-2, the name of its flag. */
  code: string
  country: string
  /** A state of the United States, such as NY. */
  region?: string
  continent: string
  /** Languages of the country. */
  languages: string[]
  role: string
  population: number
  at: { lat: number; lon: number }
  about: string[]
}

const roles: Record<string, string> = { c: 'Capital', r: 'Regional capital', '': 'Other' }

const readTable = async (name: string): Promise<string[][]> => {
  const text = await readFile(new URL(`../../cities/${name}`, import.meta.url), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map(line => line.split('\t'))
}

/** Reads all cities, the largest first. */
export const readCities = async (): Promise<CityDocument[]> => {
  const [cities, countries] = await Promise.all([readTable('cities.tsv'), readTable('countries.tsv')])
  const byCode = new Map(countries.map(row => [row[0], row]))
  return cities.map(([id = '', name = '', code = '', region = '', roleLetter = '', population, lat, lon]) => {
    const [, country = '', native = '', continent = '', languages = ''] = byCode.get(code) ?? []
    const role = roles[roleLetter] ?? ''
    return {
      id,
      name,
      code,
      country,
      ...(region !== '' && { region }),
      continent,
      languages: languages.split('|'),
      role,
      population: Number(population),
      at: { lat: Number(lat), lon: Number(lon) },
      about: [
        ...new Set([
          ...[country, native, region, continent, roleLetter === 'c' ? role : ''],
          ...languages.split('|'),
        ]),
      ].filter(Boolean),
    }
  })
}

/** Imports every city. Returns their number. Throws {@link CommandError} if one is rejected. */
export const importCities = async ({ baseUrl, tokenFor }: Connection): Promise<number> => {
  const cities = await readCities()
  const lines = `${cities.map(city => JSON.stringify(city)).join('\n')}\n`
  const { accepted, rejected, errors } = await sendDocuments({
    title: 'Cities',
    total: cities.length,
    progressNow: () => ({ done: cities.length, documents: cities.length }),
    baseUrl,
    token: tokenFor(),
    workspace: dictionary.workspace,
    collection: 'cities',
    source: (async function* () {
      yield Buffer.from(lines)
    })(),
  })
  if (rejected > 0)
    throw new CommandError(`${rejected} cities were rejected, the first: ${errors[0]?.message}`)
  return accepted
}
