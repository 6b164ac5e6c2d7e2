/** Places and distances as they are written in URLs and in workspace files: degrees of WGS84, as decimals, without white space. */

export interface Point {
  /** -90 to 90. */
  lat: number
  /** -180 to 180. */
  lon: number
}

export interface Circle extends Point {
  metres: number
}

/** What each may look like, in words. */
export const pointForm =
  'a latitude from -90 to 90 and a longitude from -180 to 180, parted by a comma, such as 52.37,4.89'
export const circleForm = `latitude, longitude and distance (in m, km or mi; without a unit: m), such as 52.37,4.89,10km; in a tuple list quoted, such as 1("52.37,4.89,10km")`

const decimal = '[0-9]{1,20}(?:\\.[0-9]{0,40})?'
const pointPattern = new RegExp(`^([+-]?${decimal}),([+-]?${decimal})$`)
const circlePattern = new RegExp(`^([^,]*,[^,]*),(${decimal})(m|km|mi)?$`)
const metresOf: Readonly<Record<string, number>> = { m: 1, km: 1000, mi: 1609.344 }

/** The point that `lat,lon` writes, or undefined when it writes none. */
export const readPoint = (text: string): Point | undefined => {
  const [, latitude, longitude] = pointPattern.exec(text) ?? []
  if (latitude === undefined || longitude === undefined) return undefined
  const [lat, lon] = [Number(latitude), Number(longitude)]
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : undefined
}

/** The circle that `lat,lon,distance` writes, or undefined when it writes none. */
export const readCircle = (text: string): Circle | undefined => {
  const [, place = '', distance = '', unit = 'm'] = circlePattern.exec(text) ?? []
  const point = readPoint(place)
  return point && { ...point, metres: Number(distance) * (metresOf[unit] ?? 1) }
}
