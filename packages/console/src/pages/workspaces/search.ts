export interface WorkspacesSearch {
  /** A workspace that requires a second factor, whose person went back without one. */
  withoutFactor?: string | undefined
}

export const readWorkspacesSearch = ({ withoutFactor }: Record<string, unknown>): WorkspacesSearch =>
  typeof withoutFactor === 'number' || typeof withoutFactor === 'string'
    ? { withoutFactor: String(withoutFactor) }
    : {}
