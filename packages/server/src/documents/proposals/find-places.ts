/** Finds pairs of attributes that are the latitude and longitude of a place. */
import type { ProposedField } from '@querent/contract/proposal'
import type { Column } from './describe-column.ts'

/** The name of a latitude, with what other words its name has. */
const latitudeName = /^(.*?)[_.\s-]*(latitude?|latitudine|breitengrad|breedtegraad|lat)([_.\s-]*deg)?$/i
const longitudeNames = [
  ...['longitude', 'long', 'lng', 'lon'],
  ...['longitud', 'longitudine', 'längengrad', 'laengengrad', 'lengtegraad'],
]
const bounds = { latitude: 90, longitude: 180 }

/** Returns a field for each pair. Its examples are `lat,lon`. */
export const findPlaces = (columns: readonly Column[], takenNames: readonly string[]): ProposedField[] => {
  const names = new Set(takenNames)
  return columns.flatMap(latitude => {
    const [, prefix = ''] = latitudeName.exec(latitude.name) ?? []
    if (!latitudeName.test(latitude.name) || !isCoordinate(latitude, bounds.latitude)) return []
    const longitude = columns.find(
      column => isPartner(column.name, prefix) && isCoordinate(column, bounds.longitude),
    )
    if (!longitude) return []
    const name = chooseName(prefix, names)
    names.add(name)
    return [makeField(name, latitude, longitude)]
  })
}

const plainName = (name: string): string => name.toLowerCase().replace(/[_.\s-]+/g, '')

const isPartner = (name: string, prefix: string): boolean =>
  longitudeNames.some(
    end => plainName(name) === plainName(prefix) + end || plainName(name) === `${plainName(prefix)}${end}deg`,
  )

/** Places are read with a decimal comma too. */
const toDecimalPoint = (text: string): string => text.replace(',', '.')

const isCoordinate = ({ type, distinct }: Column, bound: number): boolean =>
  type === 'number' && [...distinct.keys()].every(text => Math.abs(Number(toDecimalPoint(text))) <= bound)

const chooseName = (prefix: string, taken: ReadonlySet<string>): string => {
  const stem = prefix.replace(/^.*\./, '').replace(/[_.\s-]+$/, '')
  const candidates = [...(stem === '' ? [] : [stem, `${stem}Place`]), 'place', 'location', 'coordinates']
  let number = 2
  const numbered = () => `place-${number++}`
  let name = candidates.find(candidate => !taken.has(candidate)) ?? numbered()
  while (taken.has(name)) name = numbered()
  return name
}

const makeField = (name: string, latitude: Column, longitude: Column): ProposedField => {
  const [first = ''] = latitude.distinct.keys()
  const [second = ''] = longitude.distinct.keys()
  const present = Math.min(latitude.present, longitude.present)
  return {
    name,
    type: 'geo',
    from: { lat: latitude.name, lon: longitude.name },
    use: true,
    weight: 1,
    search: false,
    facet: false,
    range: false,
    sort: false,
    breaksTies: false,
    present,
    distinct: Math.max(latitude.distinct.size, longitude.distinct.size),
    examples: first === '' ? [] : [`${toDecimalPoint(first)},${toDecimalPoint(second)}`],
    values: present,
    fits: [],
  }
}
