/** The search of the page of cities. Its address holds all of it, so that people can share, reload and go back. */

export const facets = ['continent', 'country', 'language', 'role'] as const
export type Facet = (typeof facets)[number]

export const sorts = {
  largest: 'Most people',
  smallest: 'Fewest people',
  'by-name': 'By name',
  best: 'Best match',
} as const
export type Sort = keyof typeof sorts

/** The steps of the range, in people. */
export const populations = [
  0, 20_000, 50_000, 100_000, 200_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 25_000_000,
] as const
const lastStep = populations.length - 1

/** A place to search around. */
export interface Center {
  lat: number
  lon: number
  name: string
}

export interface CityState {
  query: string
  selected: Record<Facet, string[]>
  /** Steps of `populations`. */
  from: number
  to: number
  center: Center | undefined
  sort: Sort
  /** From 1. */
  page: number
}

export const pageSize = 24
/** The query service skips at most 10,000 results. */
export const pageMax = Math.floor(10_000 / pageSize) + 1
export const nearKilometers = 250
const queryCharactersMax = 100
const selectedMax = 20

export const emptyState: CityState = {
  query: '',
  selected: { continent: [], country: [], language: [], role: [] },
  from: 0,
  to: lastStep,
  center: undefined,
  sort: 'best',
  page: 1,
}

const readNumber = (text: string | null, min: number, max: number, fallback: number): number => {
  const value = Number(text ?? Number.NaN)
  return Number.isInteger(value) && value >= min && value <= max ? value : fallback
}

const readCenter = (text: string | null): Center | undefined => {
  const [, lat, lon, name = ''] = /^(-?[\d.]+),(-?[\d.]+),(.{1,100})$/.exec(text ?? '') ?? []
  const place = { lat: Number(lat), lon: Number(lon), name }
  return Math.abs(place.lat) <= 90 && Math.abs(place.lon) <= 180 ? place : undefined
}

const isSort = (name: string | null): name is Sort => name !== null && Object.hasOwn(sorts, name)

export const readState = (search: string): CityState => {
  const parameters = new URLSearchParams(search)
  const readSelected = (facet: Facet) => [...new Set(parameters.getAll(facet))].slice(0, selectedMax)
  const from = readNumber(parameters.get('from'), 0, lastStep, 0)
  const sort = parameters.get('sort')
  return {
    query: (parameters.get('q') ?? '').slice(0, queryCharactersMax),
    selected: {
      continent: readSelected('continent'),
      country: readSelected('country'),
      language: readSelected('language'),
      role: readSelected('role'),
    },
    from,
    to: readNumber(parameters.get('to'), from, lastStep, lastStep),
    center: readCenter(parameters.get('near')),
    sort: isSort(sort) ? sort : 'best',
    page: readNumber(parameters.get('page'), 1, pageMax, 1),
  }
}

/** Returns the address of the page with this search. */
export const writeState = ({ query, selected, from, to, center, sort, page }: CityState): string => {
  const parameters = new URLSearchParams()
  if (query !== '') parameters.set('q', query)
  for (const facet of facets) for (const value of selected[facet]) parameters.append(facet, value)
  if (from > 0) parameters.set('from', String(from))
  if (to < lastStep) parameters.set('to', String(to))
  if (center) parameters.set('near', `${center.lat},${center.lon},${center.name}`)
  if (sort !== 'best') parameters.set('sort', sort)
  if (page > 1) parameters.set('page', String(page))
  return parameters.size === 0 ? './' : `./?${parameters}`
}

/** The same search without filters. */
export const withoutFilters = ({ query, sort }: CityState): CityState => ({ ...emptyState, query, sort })

/** The state without one of its filters, and how people call it: a row for each filter in use. */
export const listFilters = (state: CityState): { name: string; without: CityState }[] => {
  const { selected, from, to, center } = state
  const values = facets.flatMap(facet =>
    selected[facet].map(value => ({
      name: value,
      without: {
        ...state,
        page: 1,
        selected: { ...selected, [facet]: selected[facet].filter(it => it !== value) },
      },
    })),
  )
  const hasRange = from > 0 || to < lastStep
  return [
    ...values,
    ...(hasRange
      ? [{ name: nameRange(from, to), without: { ...state, page: 1, from: 0, to: lastStep } }]
      : []),
    ...(center
      ? [
          {
            name: `Within ${nearKilometers} km of ${center.name}`,
            without: { ...state, page: 1, center: undefined },
          },
        ]
      : []),
  ]
}

const short = new Intl.NumberFormat('en', { notation: 'compact' })

export const namePopulation = (step: number): string =>
  step === 0 || step === lastStep ? 'any' : short.format(populations[step] ?? 0)

const nameRange = (from: number, to: number): string => {
  if (from === 0) return `Up to ${namePopulation(to)} people`
  if (to === lastStep) return `From ${namePopulation(from)} people`
  return `${namePopulation(from)} to ${namePopulation(to)} people`
}
