/** By field name, or by path inside objects. */
export type FieldTitles = Readonly<Record<string, string>>

/** Returns the title of a field, or `fallback` if it has none. */
export const titleField = (path: string, titles: FieldTitles, fallback = path): string =>
  Object.hasOwn(titles, path) ? (titles[path] ?? fallback) : fallback
