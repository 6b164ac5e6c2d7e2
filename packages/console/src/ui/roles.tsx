import { Badge, Group } from '@mantine/core'

/** Roles as badges. */
export const Roles = ({ roles }: { roles: readonly string[] }) => (
  <Group gap={4}>
    {roles.map(role => (
      <Badge key={role} variant="light" miw="max-content">
        {role}
      </Badge>
    ))}
  </Group>
)
