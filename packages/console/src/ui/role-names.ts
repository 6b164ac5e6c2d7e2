import type { Role, SystemRole } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'

/** Names of the roles, for people. The workspace file, the command line and the API use the ids. */
export const roleNames: Readonly<Record<Role, string>> = {
  administrator: t('Administrator'),
  user: t('Editor'),
  api: t('Search only'),
  'data-provider': t('Import only'),
}

/** Permissions of each role, in words (docs/people.md). */
export const roleDescriptions: Readonly<Record<Role, string>> = {
  administrator: t('everything, members and settings included'),
  user: t('query, and work on collections, documents and endpoints'),
  api: t("query the workspace's APIs"),
  'data-provider': t('add, replace and delete documents by id; reads nothing'),
}

export const roles: readonly Role[] = ['administrator', 'user', 'api', 'data-provider']
/** Those that a System-to-System account may have. */
export const systemRoles: readonly SystemRole[] = ['api', 'data-provider']
