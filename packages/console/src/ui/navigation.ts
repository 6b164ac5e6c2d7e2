import type { WorkspacePermission } from '@querent/contract/roles'

/** The pages of a workspace, in the order of the navigation; `needs`: who sees them. */
export const navigation = [
  { to: '/w/$workspace', label: 'Overview' },
  { to: '/w/$workspace/apis', label: 'APIs', needs: 'look' },
  { to: '/w/$workspace/data', label: 'Data', needs: 'import' },
  { to: '/w/$workspace/refused', label: 'Why was I refused?' },
] as const satisfies Entry[]

/** Below the heading Settings. */
export const settings = [
  { to: '/w/$workspace/settings/team-members', label: 'Team Members', needs: 'administer' },
  { to: '/w/$workspace/settings/applications', label: 'Applications', needs: 'administer' },
  { to: '/w/$workspace/settings/workspace-file', label: 'Workspace file', needs: 'edit' },
  { to: '/w/$workspace/settings/security', label: 'Security', needs: 'administer' },
  { to: '/w/$workspace/settings/audit-log', label: 'Audit log', needs: 'administer' },
] as const satisfies Entry[]

interface Entry {
  to: string
  label: string
  needs?: WorkspacePermission
}

export type NavigationEntry = (typeof navigation | typeof settings)[number]

/** The permission that a page needs: its own, or that of the page above it. */
export const requiredPermission = (path: string): WorkspacePermission | undefined => {
  // Operators see the APIs of every workspace, and query where they are members.
  if (path.startsWith('/w/$workspace/apis/')) return 'query'
  const entries: readonly Entry[] = [...navigation, ...settings]
  return entries.find(({ to }) => to !== '/w/$workspace' && path.startsWith(to))?.needs
}
