/** Finds pairs of attributes that are the latitude and longitude of a place. */
import type { ProposedField } from '@querent/contract/proposal'
import type { Column } from './describe-column.ts'

/** The word for a latitude in a name, and what else its name has. */
const latitudeName =
  /^(.*?)[_.\s-]*(latitude?|latitudine|breitengrad|breedtegraad|lat)(?:[_.\s-]*deg)?((?:[_.\s-]|\d|(?<=[a-z])[A-Z]).*)?$/i
/** Words for a longitude. A file with `lat` has one of the short ones, and a file with `latitude` one of the long ones. */
const longitudeNames = {
  short: ['lon', 'lng', 'long'],
  long: [...['longitude', 'longitud', 'longitudine'], ...['längengrad', 'laengengrad', 'lengtegraad']],
}
const bounds = { latitude: 90, longitude: 180 }

/** Returns a field for each pair. Its examples are `lat,lon`. */
export const findPlaces = (columns: readonly Column[], takenNames: readonly string[]): ProposedField[] => {
  const names = new Set(takenNames)
  const free = new Set(columns.filter(column => isCoordinate(column, bounds.longitude)))
  const latitudes = columns.filter(
    column => latitudeName.test(column.name) && isCoordinate(column, bounds.latitude),
  )
  const pairs: [Column, Column][] = []
  // Two pairs may differ only in how long their words are. The first round leaves the others' words to them.
  for (const isExact of [true, false])
    for (const latitude of latitudes.filter(column => !pairs.some(([paired]) => paired === column))) {
      const longitude = findPartner(latitude, [...free], columns, isExact)
      if (!longitude) continue
      free.delete(longitude)
      pairs.push([latitude, longitude])
    }
  for (const pair of [...findPoints(columns), ...findUnnamedPairs(columns)])
    if (!pairs.flat().some(column => pair.includes(column))) pairs.push(pair)
  return pairs
    .toSorted(([one], [next]) => columns.indexOf(one) - columns.indexOf(next))
    .map(([latitude, longitude]) => {
      const [, prefix = '', , suffix = ''] = latitudeName.exec(latitude.name) ?? []
      const name = chooseName(prefix || suffix.replace(/^[_.\s-]+|^\d+$/g, ''), names)
      names.add(name)
      return makeField(name, latitude, longitude)
    })
}

/** Returns the pairs of `x` and `y` in an object that is a place by its name, as in files of Esri. */
const findPoints = (columns: readonly Column[]): [Column, Column][] =>
  columns.flatMap((latitude): [Column, Column][] => {
    const [, prefix] =
      /^(.*(?:geometry|geo|location|point|position|coord(?:inate)?s?))\.y$/i.exec(latitude.name) ?? []
    const longitude = columns.find(
      ({ name }) => prefix !== undefined && name.toLowerCase() === `${prefix.toLowerCase()}.x`,
    )
    return longitude && areCoordinates(latitude, longitude) ? [[latitude, longitude]] : []
  })

/** Without a header line, two columns in a row with many decimals are a place: first the latitude, as people write it. */
const findUnnamedPairs = (columns: readonly Column[]): [Column, Column][] => {
  const pairs: [Column, Column][] = []
  for (const [index, latitude] of columns.entries()) {
    const longitude = columns[index + 1]
    const isFree = !pairs.flat().includes(latitude)
    const isUnnamed = [latitude, longitude].every(column => /^column-\d+$/.test(column?.name ?? ''))
    if (
      longitude &&
      isFree &&
      isUnnamed &&
      areCoordinates(latitude, longitude) &&
      arePrecise(latitude, longitude)
    )
      pairs.push([latitude, longitude])
  }
  return pairs
}

const areCoordinates = (latitude: Column, longitude: Column): boolean =>
  isCoordinate(latitude, bounds.latitude) && isCoordinate(longitude, bounds.longitude)

/** Whether nearly all numbers have two decimals, and some are below 0 or beyond any latitude; or nearly all have four. */
const arePrecise = (...columns: readonly Column[]): boolean => {
  const texts = columns.map(({ distinct }) => [...distinct.keys()].map(toDecimalPoint))
  const haveDecimals = (count: number) =>
    texts.every(
      list => list.filter(text => new RegExp(`\\.\\d{${count},}$`).test(text)).length >= 0.8 * list.length,
    )
  const isWide =
    texts.flat().some(text => Number(text) < 0) && columns.every(({ distinct }) => distinct.size > 4)
  return haveDecimals(4) || (isWide && haveDecimals(2))
}

const plainName = (name: string): string => name.toLowerCase().replace(/[_.\s-]+/g, '')

/** Returns the column for the longitude, the nearest of several. `isExact`: both words are short, or both are long. */
const findPartner = (
  latitude: Column,
  candidates: readonly Column[],
  columns: readonly Column[],
  isExact: boolean,
): Column | undefined => {
  const [, prefix = '', word = '', suffix = ''] = latitudeName.exec(latitude.name) ?? []
  const { short, long } = longitudeNames
  const words = isExact ? (word.toLowerCase() === 'lat' ? short : long) : [...short, ...long]
  const spellings = words.flatMap(each =>
    ['', 'deg'].map(degrees => plainName(`${prefix}${each}${degrees}${suffix}`)),
  )
  const distance = (column: Column) => Math.abs(columns.indexOf(column) - columns.indexOf(latitude))
  const [nearest] = candidates
    .filter(({ name }) => spellings.includes(plainName(name)))
    .toSorted((one, next) => distance(one) - distance(next))
  return nearest
}

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
    range: true,
    sort: true,
    breaksTies: false,
    present,
    distinct: Math.max(latitude.distinct.size, longitude.distinct.size),
    examples: first === '' ? [] : [`${toDecimalPoint(first)},${toDecimalPoint(second)}`],
    values: present,
    listSeparators: [],
    fits: [],
  }
}
