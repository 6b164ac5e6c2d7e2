/** Settings of a workspace for the console; others are only in its file. */
import type { WorkspaceSettings } from '@querent/contract/manage'
import type { Definition } from '@querent/contract/workspace-file'
import { lockWorkspace, saveDefinition } from '#storage/workspaces'
import { audit, type Handler, makeAuditDiff } from './call.ts'
import { refuseBadSettings } from './input-rules.ts'

export const settingsHandlers = {
  getSettings: async (_, { workspace }) => describeSettings(workspace.definition),
  updateSettings: async ({ storage }, call) => {
    const { workspace, input } = call
    refuseBadSettings(input)
    return storage.write(async writer => {
      const present = (await lockWorkspace(writer, workspace.slug)) ?? workspace
      const definition = { ...present.definition, settings: { ...present.definition.settings, ...input } }
      await saveDefinition(writer, present.id, definition)
      await audit(writer, call, {
        workspaceId: present.id,
        target: present.slug,
        detail: { ...input, ...makeAuditDiff(describeSettings(present.definition), input) },
      })
      return describeSettings(definition)
    })
  },
} satisfies { getSettings: Handler<'getSettings'>; updateSettings: Handler<'updateSettings'> }

const describeSettings = ({ settings = {} }: Definition): WorkspaceSettings => ({
  accessTokenLifetime: settings.accessTokenLifetime ?? '15m',
  origins: settings.origins ?? [],
  allowMetadataClients: settings.allowMetadataClients ?? false,
})
