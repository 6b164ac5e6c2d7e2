import { Badge, Group } from '@mantine/core'
import type { Role } from '@querent/contract/manage'
import { roleNames } from './role-names.ts'

/** Roles as badges. Their ids appear on pointing at them. */
export const Roles = ({ roles }: { roles: readonly Role[] }) => (
  <Group gap={4}>
    {roles.map(role => (
      <Badge key={role} variant="light" miw="max-content" title={role}>
        {roleNames[role]}
      </Badge>
    ))}
  </Group>
)
