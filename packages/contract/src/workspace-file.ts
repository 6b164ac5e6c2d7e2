/** Schema of the workspace file (workspace-file.md). Its reader, with lines and columns, is `read-workspace-file.ts`. */

import { Branding } from './branding.ts'
import { type Endpoint, endpointSchemas } from './endpoints.ts'
import { Field, Language } from './field-schemas.ts'
import { ApplicationProfile, IdTokenAlgorithm, RegisteredMetadata } from './manage/applications.ts'
import { EmailKey, PublicKeys } from './manage/fields.ts'
import {
  attributesMax,
  Group,
  GroupName,
  groupsMax,
  groupsPerMemberMax,
  MemberDefaults,
  membershipRights,
} from './manage/rights.ts'
import { attributeNamePattern, RowFilter } from './manage/row-filter.ts'
import { WorkspaceTest } from './relevance-tests.ts'
import { Role, SystemRole } from './roles.ts'
import { type Static, Type } from './schema.ts'
import { workspaceLimits as limits } from './workspace-limits.ts'
import {
  AccountName,
  closed,
  FieldKey,
  FieldName,
  namedRecord,
  namePattern,
  Slug,
  Title,
} from './workspace-names.ts'

export { Field, type FieldType, type PairOrder, pairOrders } from './field-schemas.ts'

const SynonymMember = Type.String({ minLength: 1, maxLength: 200 })

/** A list of words that match each other, or `{ from, to }`: each word of `from` matches all of `to`. Several words form a phrase. */
export const SynonymSet = Type.Union([
  Type.Array(SynonymMember, { minItems: 2, maxItems: 100 }),
  Type.Object(
    {
      from: Type.Array(SynonymMember, { minItems: 1, maxItems: 100 }),
      to: Type.Array(SynonymMember, { minItems: 1, maxItems: 100 }),
    },
    closed,
  ),
])
export type SynonymSet = Static<typeof SynonymSet>

/** A single word: phrases are no stop words. */
export const stopWordPattern = '^\\S+$'

export const Collection = Type.Object(
  {
    title: Type.Optional(Title),
    id: Type.Optional(
      Type.Object(
        {
          field: Type.Optional(FieldName),
          generate: Type.Optional(Type.Union([Type.Literal('hash'), Type.Literal('row')])),
          uri: Type.Optional(
            Type.String({ minLength: 1, maxLength: 1024, description: 'URI template with {id}' }),
          ),
        },
        closed,
      ),
    ),
    class: Type.Optional(
      Type.Union([
        Type.Array(Type.String({ minLength: 1 }), { maxItems: 100 }),
        Type.Object({ field: FieldName }, closed),
      ]),
    ),
    language: Type.Optional(Language),
    readers: Type.Optional(
      Type.Object(
        {
          field: FieldName,
          everyone: Type.Optional(Type.String({ minLength: 1, maxLength: limits.readerCharacters })),
        },
        closed,
      ),
    ),
    fields: Type.Optional(Type.Record(FieldKey, Field, { maxProperties: limits.fieldsPerCollection })),
    synonyms: Type.Optional(Type.Array(SynonymSet, { maxItems: limits.synonymGroupsPerCollection })),
    stopWords: Type.Optional(
      Type.Array(Type.String({ pattern: stopWordPattern, maxLength: 100 }), {
        maxItems: limits.stopWordsPerCollection,
      }),
    ),
  },
  closed,
)
export type Collection = Static<typeof Collection>

/** The generation of each collection that queries use: `live`, `latest` (the newest, promoted or not), or the id of one. */
export interface Configuration {
  /**
   * true: a public API may use it. A string is the choice for a collection named `public`, so a configuration cannot have both.
   */
  public?: boolean | string
  [collection: string]: string | boolean | undefined
}
const Choice = Type.String({ minLength: 1, maxLength: 100 })
/** Names of collections except `public`: JSON Schema would check that key by `properties` and by the pattern. */
export const choiceNamePattern = '^(?!public$)[A-Za-z0-9_-]{1,63}$'
export const Configuration = Type.Unsafe<Configuration>({
  ...Type.Record(Type.String({ pattern: choiceNamePattern }), Choice, {
    ...closed,
    maxProperties: limits.collections + 1,
  }),
  properties: {
    public: Type.Union([Type.Boolean(), Choice], {
      description: 'true: a public API may use it',
    }),
  },
})

/** Returns the choice for each collection that a configuration names. */
export const collectionChoices = (configuration: Configuration): [collection: string, choice: string][] =>
  Object.entries(configuration).flatMap(([name, choice]) =>
    typeof choice === 'string' ? [[name, choice] as [string, string]] : [],
  )

export const Curation = Type.Object(
  {
    when: namedRecord(Type.String({ maxLength: limits.textCharacters }), limits.parametersPerRule),
    endpoint: Type.String({ pattern: namePattern }),
    pin: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
    bury: Type.Optional(Type.Array(Type.String(), { maxItems: 100 })),
  },
  closed,
)
export type Curation = Static<typeof Curation>

export const Api = Type.Object(
  {
    title: Type.Optional(Title),
    access: Type.Optional(Type.Union([Type.Literal('members'), Type.Literal('public')])),
    endpoints: Type.Optional(namedRecord(Type.Union(Object.values(endpointSchemas)), limits.endpointsPerApi)),
    curation: Type.Optional(Type.Array(Curation, { maxItems: limits.curationRulesPerApi })),
  },
  closed,
)
export interface Api {
  title?: string
  access?: 'members' | 'public'
  endpoints?: Record<string, Endpoint>
  curation?: Curation[]
}

const Roles = Type.Array(Role, { minItems: 1, uniqueItems: true })
export const FileMember = Type.Union([
  Roles,
  Type.Object({ roles: Roles, filter: Type.Optional(RowFilter), ...membershipRights }, closed),
])
export const FileApplication = Type.Object(
  {
    title: Type.Optional(Title),
    type: Type.Optional(
      Type.Union([Type.Literal('browser'), Type.Literal('server'), Type.Literal('native')]),
    ),
    redirectUris: Type.Array(Type.String({ minLength: 1, maxLength: 2048 }), { minItems: 1, maxItems: 100 }),
    origins: Type.Optional(Type.Array(Type.String({ maxLength: 2048 }), { maxItems: 100 })),
    logoutUris: Type.Optional(Type.Array(Type.String({ maxLength: 2048 }), { maxItems: 100 })),
    backchannelLogoutUri: Type.Optional(Type.String({ maxLength: 2048 })),
    defaultAudience: Type.Optional(Type.String({ maxLength: 2048 })),
    own: Type.Optional(Type.Boolean()),
    pkce: Type.Optional(Type.Boolean()),
    nonce: Type.Optional(Type.Boolean()),
    idTokenAlgorithm: Type.Optional(IdTokenAlgorithm),
    publicKeys: Type.Optional(PublicKeys),
    jwksUri: Type.Optional(Type.String({ maxLength: 2048 })),
    profile: Type.Optional(ApplicationProfile),
    dpop: Type.Optional(Type.Boolean()),
    registered: Type.Optional(RegisteredMetadata),
  },
  closed,
)
export const FileSystemToSystem = Type.Object(
  {
    roles: Type.Array(SystemRole, { minItems: 1, uniqueItems: true }),
    addresses: Type.Optional(Type.Array(Type.String({ maxLength: 50 }), { maxItems: 100 })),
    dpop: Type.Optional(Type.Boolean()),
    filter: Type.Optional(RowFilter),
    ...membershipRights,
  },
  closed,
)

export const lifetimePattern = '^[0-9]+[smh]$'
export const keepDaysPattern = '^[0-9]+d$'

export const Settings = Type.Object(
  {
    accessTokenLifetime: Type.Optional(
      Type.String({ pattern: lifetimePattern, description: 'From 1m to 24h' }),
    ),
    requireSecondFactor: Type.Optional(Type.Boolean()),
    origins: Type.Optional(Type.Array(Type.String({ maxLength: 2048 }), { maxItems: 100 })),
    allowMetadataClients: Type.Optional(Type.Boolean()),
    skipInvalidRedirectUris: Type.Optional(Type.Boolean()),
    keepGenerations: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100,
        description:
          'Generations to keep for each collection, in addition to the live one and the one before it; default 3',
      }),
    ),
    queryLog: Type.Optional(
      Type.Object(
        {
          parameters: Type.Optional(
            Type.Union([Type.Literal('off'), Type.Literal('hashed'), Type.Literal('full')]),
          ),
          keep: Type.Optional(Type.String({ pattern: keepDaysPattern, description: 'From 1d to 3650d' })),
        },
        closed,
      ),
    ),
  },
  closed,
)
export type Settings = Static<typeof Settings>

const RolesByValue = Type.Record(Type.String({ minLength: 1, maxLength: 200 }), Roles, {
  maxProperties: limits.providerRoles,
})

export const WorkspaceFile = Type.Object(
  {
    workspace: Slug,
    title: Type.Optional(Title),
    description: Type.Optional(Type.String({ maxLength: limits.descriptionCharacters })),
    collections: Type.Optional(namedRecord(Collection, limits.collections)),
    configurations: Type.Optional(namedRecord(Configuration, limits.configurations)),
    apis: Type.Optional(namedRecord(Api, limits.apis)),
    groups: Type.Optional(Type.Record(GroupName, Group, { ...closed, maxProperties: groupsMax })),
    memberDefaults: Type.Optional(MemberDefaults),
    members: Type.Optional(
      Type.Record(EmailKey, FileMember, { ...closed, maxProperties: limits.membersPerFile }),
    ),
    applications: Type.Optional(
      Type.Record(AccountName, FileApplication, { ...closed, maxProperties: limits.applicationsPerFile }),
    ),
    systemToSystem: Type.Optional(
      Type.Record(AccountName, FileSystemToSystem, {
        ...closed,
        maxProperties: limits.systemToSystemPerFile,
      }),
    ),
    identityProvider: Type.Optional(
      Type.Union([
        Type.Null(),
        Type.Object(
          {
            issuer: Type.String({ minLength: 1, maxLength: 500 }),
            clientId: Type.String({ minLength: 1, maxLength: 200 }),
            domains: Type.Optional(Type.Array(Type.String({ maxLength: 253 }), { maxItems: limits.domains })),
            name: Type.Optional(Title),
            rolesClaim: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
            roles: Type.Optional(
              Type.Union([
                RolesByValue,
                Type.Object(
                  { claim: Type.String({ minLength: 1, maxLength: 200 }), map: RolesByValue },
                  closed,
                ),
              ]),
            ),
            groups: Type.Optional(
              Type.Object(
                {
                  claim: Type.String({ minLength: 1, maxLength: 200 }),
                  map: Type.Record(
                    Type.String({ minLength: 1, maxLength: 200 }),
                    Type.Array(GroupName, { maxItems: groupsPerMemberMax, uniqueItems: true }),
                    { maxProperties: limits.providerGroups },
                  ),
                },
                closed,
              ),
            ),
            attributes: Type.Optional(
              Type.Record(
                Type.String({ pattern: attributeNamePattern }),
                Type.String({ minLength: 1, maxLength: 200 }),
                { ...closed, maxProperties: attributesMax },
              ),
            ),
          },
          closed,
        ),
      ]),
    ),
    branding: Type.Optional(Type.Union([Type.Null(), Branding])),
    settings: Type.Optional(Settings),
    tests: Type.Optional(Type.Array(WorkspaceTest, { maxItems: limits.tests })),
  },
  closed,
)

/** A workspace's own OpenID provider. Its client secret is never here. */
export interface IdentityProvider {
  issuer: string
  clientId: string
  /** E-mail domains whose people it may sign in. */
  domains?: string[]
  name?: string
  /** Claim whose values `roles` maps; default `groups`. */
  rolesClaim?: string
  /** Roles by the value of the claim; `*` is for everybody whom the provider signs in. */
  roles?: Record<string, Role[]> | { claim: string; map: Record<string, Role[]> }
  /** Groups by the value of a claim. */
  groups?: { claim: string; map: Record<string, string[]> }
  /** Claims by the attribute of the membership that they become. */
  attributes?: Record<string, string>
}

/** The workspace file as its author writes it: optional parts may be absent. */
export interface WorkspaceFile {
  workspace: string
  title?: string
  description?: string
  collections?: Record<string, Collection>
  configurations?: Record<string, Configuration>
  apis?: Record<string, Api>
  groups?: Record<string, Group>
  memberDefaults?: MemberDefaults
  members?: Record<string, Static<typeof FileMember>>
  applications?: Record<string, Static<typeof FileApplication>>
  systemToSystem?: Record<string, Static<typeof FileSystemToSystem>>
  identityProvider?: IdentityProvider | null
  branding?: Branding | null
  settings?: Settings
  tests?: WorkspaceTest[]
}

/** The part of a file that the server stores as one value: all but members, applications and System-to-System accounts, which have rows. */
export type Definition = Omit<WorkspaceFile, 'members' | 'applications' | 'systemToSystem'>
