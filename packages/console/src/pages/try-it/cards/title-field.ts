import { toTitle } from '@querent/contract/titles'

/** By field name, or by path inside objects. */
export type FieldTitles = Readonly<Record<string, string>>

/** Returns the title of a field, or `fallback` if it has none. An object that is no field, but holds fields with titles, has the words of its name. */
export const titleField = (path: string, titles: FieldTitles, fallback = path): string => {
  if (Object.hasOwn(titles, path)) return titles[path] ?? fallback
  return Object.keys(titles).some(field => field.startsWith(`${path}.`)) ? toTitle(fallback) : fallback
}
