/** The search part of the address of the page. */
export interface PlaceSearch {
  /** Keys from the root of the file: the place to open. */
  at?: (string | number)[]
}

export const readPlaceSearch = ({ at }: Record<string, unknown>): PlaceSearch =>
  Array.isArray(at) && at.every(key => typeof key === 'string' || typeof key === 'number') ? { at } : {}
