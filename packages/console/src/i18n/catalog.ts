/** Translations by English text. A text with a count is found by its plural, and has both forms. */
export type Catalog = Readonly<Record<string, string | { one: string; other: string }>>

/** Translations of the server's faults (`fault-texts.ts`) by their codes. */
export interface FaultCatalog {
  requirements: Readonly<Record<string, string>>
  faults: Readonly<Record<string, string>>
  hints: Readonly<Record<string, string>>
  /** Parts of the sentences of health checks (`health-texts.ts`). */
  health: Catalog
  /** Sentences of the checks of a request, by the English ones with their values in braces. */
  checks: Readonly<Record<string, string>>
  /** Sentences about documents that an import cannot read, and their parts. */
  imports: Readonly<Record<string, string>>
  /** Values in words, by the English words. */
  values: Readonly<Record<string, string>>
}
