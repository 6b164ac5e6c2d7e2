/** Where a change of rights comes from, as audit entries say (authorization-server.md, Row filters). */

/** `file`: an applied workspace file, also of the command line. `claim`: a provider at a sign-in or refresh. */
export const rightsSources = ['console', 'api', 'command-line', 'file', 'claim'] as const
export type RightsSource = (typeof rightsSources)[number]

/** `User-Agent` of the command line. It is a claim of the client, and decides nothing but the source. */
export const commandLineAgent = 'querent-cli'
