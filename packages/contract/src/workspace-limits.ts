/**
 * Limits of one workspace file. The JSON Schema has them as `maxProperties` and `maxItems`; docs/describe-your-search.md lists them. A
 * definition that is older than a limit keeps working, and must be within it when you apply the file again.
 */
export const workspaceLimits = {
  fileBytes: 1024 * 1024,
  /** Nesting of mappings and lists. */
  fileDepth: 50,
  /** Values that aliases may repeat in total; more is an attack ("billion laughs"). */
  fileAliases: 100,
  /** Entries of any list or mapping, as many as the longest may have. Counted before the file is parsed. */
  fileEntries: 10_000,
  /** Length of the file as JSON, with every alias written out. */
  expandedCharacters: 2 * 1024 * 1024,
  collections: 200,
  fieldsPerCollection: 1000,
  /** Fields with `visible` in a collection. */
  hiddenFieldsPerCollection: 100,
  /** Names of readers in a document, and the length of the name for everyone. */
  readersPerDocument: 1000,
  readerCharacters: 200,
  dateFormatsPerField: 20,
  synonymGroupsPerCollection: 10_000,
  /** Besides the stop words of the language. */
  stopWordsPerCollection: 1000,
  configurations: 100,
  apis: 100,
  endpointsPerApi: 1000,
  fieldsPerEndpoint: 1000,
  /** Length of the `value` of a filter or boost, which may be a tuple list. */
  valueCharacters: 16 * 1024,
  partsPerMix: 20,
  boostsPerEndpoint: 10,
  rangesPerFacet: 100,
  /** Fields of a facet whose field the caller chooses. */
  fieldsToChooseFrom: 20,
  /** Documents that `collapse` returns for each value. */
  documentsPerValue: 10,
  /** Corners of a polygon, in a file and in a request. */
  cornersMin: 3,
  cornersMax: 1000,
  curationRulesPerApi: 10_000,
  parametersPerRule: 10,
  descriptionCharacters: 1000,
  tests: 1000,
  membersPerFile: 10_000,
  applicationsPerFile: 1000,
  systemToSystemPerFile: 1000,
  domains: 100,
  providerRoles: 1000,
  providerGroups: 1000,
  /** Length of the query text of a curation rule. */
  textCharacters: 1000,
} as const
