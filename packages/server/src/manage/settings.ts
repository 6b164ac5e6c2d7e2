/** Settings of a workspace for the console; others are only in its file. */
import { isDeepStrictEqual } from 'node:util'
import type { WorkspaceSettings } from '@querent/contract/manage'
import type { Definition } from '@querent/contract/workspace-file'
import { keepGenerationsDefault } from '#collections/generation-rows'
import { countMembersWithoutFactor } from '#storage/second-factors'
import { describeQueryLog } from '#storage/usage'
import { lockWorkspace, saveDefinition } from '#storage/workspaces'
import { audit, type Handler, makeAuditDiff } from './call.ts'
import { refuseBadSettings } from './input-rules.ts'
import { prepareFormState } from './record-form.ts'

export const settingsHandlers = {
  getSettings: async ({ storage }, { workspace }) => ({
    ...describeSettings(workspace.definition),
    membersWithoutSecondFactor: await countMembersWithoutFactor(storage.db, workspace.id),
  }),
  updateSettings: async (deps, call) => {
    const { workspace, input } = call
    const { title, description, ...settings } = input
    refuseBadSettings(settings)
    const edit = (definition: Definition): Definition => {
      const changed = leaveOutSame(settings, describeSettings(definition))
      return setNames(
        Object.keys(changed).length === 0
          ? definition
          : { ...definition, settings: { ...definition.settings, ...changed } },
        { title, description },
      )
    }
    const recordState = await prepareFormState(deps, call, edit)
    return deps.storage.write(async writer => {
      const present = (await lockWorkspace(writer, workspace.slug)) ?? workspace
      const definition = edit(present.definition)
      await saveDefinition(writer, present.id, definition)
      await recordState(writer, { workspace: present, before: present.definition, after: definition })
      await audit(writer, call, {
        workspaceId: present.id,
        target: present.slug,
        detail: { ...input, ...makeAuditDiff(describeSettings(present.definition), input) },
      })
      return describeSettings(definition)
    })
  },
} satisfies { getSettings: Handler<'getSettings'>; updateSettings: Handler<'updateSettings'> }

/** Returns the settings that differ from the present ones: a form sends all of its own, and its defaults need no line in the file. */
const leaveOutSame = <Settings extends object>(settings: Settings, present: object): Partial<Settings> => {
  const isSame = ([key, value]: [string, unknown]) => isDeepStrictEqual(value, Reflect.get(present, key))
  const entries = Object.entries(settings).filter(entry => !isSame(entry))
  return Object.fromEntries(entries) as Partial<Settings>
}

/** An empty description removes it from the file. */
const setNames = (
  definition: Definition,
  { title, description }: { title?: string | undefined; description?: string | undefined },
): Definition => {
  const { description: previous, ...rest } = definition
  const next = description ?? previous ?? ''
  return {
    ...rest,
    ...(title === undefined ? {} : { title }),
    ...(next === '' ? {} : { description: next }),
  }
}

const describeSettings = (definition: Definition): WorkspaceSettings => {
  const { workspace, title = workspace, description = '', settings = {} } = definition
  const { parameters, keepDays } = describeQueryLog(definition)
  return {
    title,
    description,
    accessTokenLifetime: settings.accessTokenLifetime ?? '15m',
    origins: settings.origins ?? [],
    allowMetadataClients: settings.allowMetadataClients ?? false,
    skipInvalidRedirectUris: settings.skipInvalidRedirectUris ?? false,
    requireSecondFactor: settings.requireSecondFactor ?? false,
    keepGenerations: settings.keepGenerations ?? keepGenerationsDefault,
    queryLog: { parameters, keep: `${keepDays}d` },
  }
}
