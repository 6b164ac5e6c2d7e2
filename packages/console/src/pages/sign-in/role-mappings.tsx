/** Inputs that map values of a claim to roles. */
import { Button, Checkbox, Group, Paper, Stack, Text, TextInput } from '@mantine/core'
import type { Role } from '@querent/contract/manage'
import { t } from '#i18n/translate.ts'
import { roleNames, roles } from '#ui/role-names.ts'

export interface RoleMapping {
  /** Identifies the row while its value is typed. */
  id: number
  value: string
  roles: Role[]
}

interface RoleMappingsProps {
  mappings: readonly RoleMapping[]
  onChange: (mappings: RoleMapping[]) => void
  error: string | undefined
}

/** Whether each row has a value of its own and a role. */
export const isComplete = (mappings: readonly RoleMapping[]): boolean =>
  mappings.every(mapping => mapping.roles.length > 0 && !isRepeated(mappings, mapping))

export const RoleMappings = ({ mappings, onChange, error }: RoleMappingsProps) => {
  const change = (id: number, part: Partial<RoleMapping>) =>
    onChange(mappings.map(mapping => (mapping.id === id ? { ...mapping, ...part } : mapping)))
  const add = () => {
    const id = Math.max(-1, ...mappings.map(mapping => mapping.id)) + 1
    onChange([...mappings, { id, value: '', roles: ['api'] }])
  }
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed">
        {mappings.length === 0
          ? t('Without roles, only members and invited people can sign in.')
          : t('People get the roles of all values that they have. The value * is for everybody.')}
      </Text>
      {mappings.map((mapping, index) => {
        const { id, value } = mapping
        const position = index + 1
        return (
          <Paper key={id} withBorder p="sm">
            <Stack gap="sm">
              <Group align="flex-end" wrap="nowrap">
                <TextInput
                  flex={1}
                  label={t('Value {position}', { position })}
                  required
                  spellCheck={false}
                  maxLength={200}
                  value={value}
                  error={isRepeated(mappings, mapping) && t('Another row has this value.')}
                  onChange={event => change(id, { value: event.currentTarget.value })}
                />
                <Button
                  variant="subtle"
                  color="red"
                  aria-label={t('Delete value {position}', { position })}
                  onClick={() => onChange(mappings.filter(other => other.id !== id))}
                >
                  {t('Delete')}
                </Button>
              </Group>
              <Checkbox.Group
                label={t('Roles for value {position}', { position })}
                value={mapping.roles}
                error={mapping.roles.length === 0 && t('Choose at least one role')}
                // Only these can be ticked.
                onChange={ticked => change(id, { roles: roles.filter(role => ticked.includes(role)) })}
              >
                <Group gap="md" mt={6}>
                  {roles.map(role => (
                    <Checkbox key={role} value={role} label={roleNames[role]} />
                  ))}
                </Group>
              </Checkbox.Group>
            </Stack>
          </Paper>
        )
      })}
      {error !== undefined && (
        <Text size="sm" c="red" role="alert">
          {error}
        </Text>
      )}
      <Group>
        <Button variant="default" size="compact-md" onClick={add}>
          {t('Add role mapping')}
        </Button>
      </Group>
    </Stack>
  )
}

const isRepeated = (mappings: readonly RoleMapping[], { id, value }: RoleMapping): boolean =>
  mappings.some(other => other.id < id && other.value.trim() === value.trim() && value.trim() !== '')
