import { Checkbox, Stack, Text } from '@mantine/core'
import { t } from '#i18n/translate.ts'
import { roleDescriptions, roleNames } from './role-names.ts'

interface RoleChoiceProps<Role extends string> {
  offered: readonly Role[]
  value: Role[]
  onChange: (roles: Role[]) => void
  error?: string | undefined
}

/** Roles to tick, each with what it may do; says so while there is none. */
export const RoleChoice = <Role extends keyof typeof roleDescriptions>({
  offered,
  value,
  onChange,
  error,
}: RoleChoiceProps<Role>) => (
  <Checkbox.Group
    label={t('Roles')}
    value={value}
    // Only offered ones can be ticked.
    onChange={ticked => onChange(offered.filter(role => ticked.includes(role)))}
    withAsterisk
    error={value.length === 0 ? t('Choose at least one role') : error}
  >
    <Stack gap="xs" mt="xs">
      {offered.map(role => (
        <Checkbox
          key={role}
          value={role}
          label={
            <>
              {roleNames[role]}{' '}
              <Text span size="xs" c="dimmed" ff="monospace">
                {role}
              </Text>
            </>
          }
          description={roleDescriptions[role]}
        />
      ))}
    </Stack>
  </Checkbox.Group>
)
