/**
 * The most that one workspace file may define. The JSON Schema has them as `maxProperties` and `maxItems`; docs/describe-your-search.md lists
 * them. A definition that was stored before a limit existed keeps working, and has to be within it when it is next applied.
 */
export const workspaceLimits = {
  fileBytes: 1024 * 1024,
  /** Collections within collections. */
  fileDepth: 50,
  /** Values that aliases may repeat in all; more is an attack ("billion laughs"). */
  fileAliases: 100,
  /** Of the file as JSON, with every alias written out. */
  expandedCharacters: 2 * 1024 * 1024,
  collections: 200,
  fieldsPerCollection: 1000,
  synonymGroupsPerCollection: 10_000,
  configurations: 100,
  apis: 100,
  endpointsPerApi: 1000,
  fieldsPerEndpoint: 1000,
  partsPerMix: 20,
  curationRulesPerApi: 10_000,
  parametersPerRule: 10,
  membersPerFile: 10_000,
  applicationsPerFile: 1000,
  systemToSystemPerFile: 1000,
  domains: 100,
  /** Of the text at which a curation rule applies. */
  textCharacters: 1000,
} as const
