/** The pages of a workspace, in the order of the navigation. */
export const navigation = [
  { to: '/w/$workspace', label: 'Overview' },
  { to: '/w/$workspace/apis', label: 'APIs' },
  { to: '/w/$workspace/data', label: 'Data' },
  { to: '/w/$workspace/refused', label: 'Why was I refused?' },
] as const

/** Below the heading Settings; for administrators. */
export const settings = [
  { to: '/w/$workspace/settings/team-members', label: 'Team Members' },
  { to: '/w/$workspace/settings/applications', label: 'Applications' },
  { to: '/w/$workspace/settings/security', label: 'Security' },
  { to: '/w/$workspace/settings/audit-log', label: 'Audit log' },
] as const

export type NavigationEntry = (typeof navigation | typeof settings)[number]
