/** Translations by English text. A text with a count is found by its plural, and has both forms. */
export type Catalog = Readonly<Record<string, string | { one: string; other: string }>>
